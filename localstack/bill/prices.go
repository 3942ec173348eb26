package bill

// Every price is here: us-east-1, on demand, list prices without a free tier, in
// US dollars, of November 2026.
const (
	// https://aws.amazon.com/dynamodb/pricing/on-demand/: standard table class.
	priceWriteUnit  = 0.625 / 1e6
	priceReadUnit   = 0.125 / 1e6
	priceStoredGB   = 0.25 + 0.20 // a month, with point-in-time recovery
	storedPerItem   = 100         // bytes that storage counts beside an item's own
	tombstoneMonths = 1           // the policy's TombstoneTTL; TTL's own deletes are free
	priceQueueCall  = 0.40 / 1e6  // https://aws.amazon.com/sqs/pricing/: standard, each 64 KB
	queueCallBytes  = 64 << 10
	priceStoreRead  = 0.40 / 1e6 // https://aws.amazon.com/s3/pricing/: GET and all other requests; DELETE is free
	priceLogGB      = 0.50       // https://aws.amazon.com/cloudwatch/pricing/: vended by functions, standard class
	priceInvocation = 0.20 / 1e6 // https://aws.amazon.com/lambda/pricing/
	priceLambdaGBs  = 0.0000133334
	gigabyte        = 1e9
	million         = 1e6
)
