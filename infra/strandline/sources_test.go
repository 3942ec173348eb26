//go:build infra

package strandline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/jsii-runtime-go"
	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/source"
)

// A rule without the bucket's prefix would wake the recorder for everything that
// others store; one that goes to the function by itself gives a notice up after
// three tries within minutes.
func TestStoredObjectsComeToTheRecorderThroughAQueue(t *testing.T) {
	s := theUsual(t)
	got := map[string]string{}
	for _, r := range s.of("AWS::Events::Rule") {
		pattern := r.Properties["EventPattern"].(object)
		detail := pattern["detail"].(object)
		name := flat(list(detail["bucket"].(object)["name"])[0])
		target := list(r.Properties["Targets"])[0].(object)
		if name == "${StrandlineInventories}" {
			continue
		}
		got[name] = fmt.Sprint(pattern["source"], pattern["detail-type"], detail["object"], " ", flat(target["Arn"]))
		if target["DeadLetterConfig"] == nil {
			t.Errorf("what the rule of %s cannot deliver is lost", name)
		}
	}
	want := map[string]string{
		"acme-uploads":                 "[aws.s3] [Object Created] map[key:[map[prefix:uploads/]]] ${StrandlineStored.Arn}",
		"${StrandlineBucketAcmeMedia}": "[aws.s3] [Object Created] <nil> ${StrandlineStored.Arn}",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	s.has(t, "AWS::Lambda::EventSourceMapping", object{
		"EventSourceArn": object{"Fn::GetAtt": []any{"StrandlineStored655893F0", "Arn"}}, "BatchSize": 10,
		"FunctionResponseTypes": []any{"ReportBatchItemFailures"}, "ScalingConfig": object{"MaximumConcurrency": 5},
	})
	s.has(t, "AWS::S3::Bucket", object{
		"BucketName": "acme-media", "NotificationConfiguration": object{"EventBridgeConfiguration": object{"EventBridgeEnabled": true}},
	})
}

// Without the halving one bad record fails a hundred; without an age it holds its
// shard up until all behind it has expired; without the destination nobody
// learns that it was given up.
func TestAStreamIsReadFromItsBeginningAndOneBadRecordNeitherBlocksNorVanishes(t *testing.T) {
	s := theUsual(t)
	s.has(t, "AWS::Lambda::EventSourceMapping", object{
		"EventSourceArn": orders().Stream, "StartingPosition": "TRIM_HORIZON", "BatchSize": 100,
		"BisectBatchOnFunctionError": true, "MaximumRecordAgeInSeconds": 43200, "MaximumRetryAttempts": assertions.Match_Absent(),
		"FunctionResponseTypes": []any{"ReportBatchItemFailures"},
		"DestinationConfig":     object{"OnFailure": object{"Destination": object{"Fn::GetAtt": []any{"StrandlineReleasesDeadEC8271D6", "Arn"}}}},
		"FilterCriteria":        object{"Filters": []any{object{"Pattern": `{"eventName":["MODIFY","REMOVE"]}`}}},
	})
	s.has(t, "AWS::Lambda::EventSourceMapping", object{
		"EventSourceArn": object{"Fn::GetAtt": []any{"StrandlineReleases8C73B271", "Arn"}}, "BatchSize": 100,
		"FunctionResponseTypes": []any{"ReportBatchItemFailures"}, "ScalingConfig": object{"MaximumConcurrency": 5},
	})
	s.ResourceCountIs(jsii.String("AWS::Lambda::EventSourceMapping"), jsii.Number(4))
}

// told are a function's variables.
func (s synthesized) told(t *testing.T, function string) object {
	t.Helper()
	return s.resources[s.idOf(t, "AWS::Lambda::Function", "FunctionName", "strandline-"+function)].Properties["Environment"].(object)["Variables"].(object)
}

// Worker and relay have to be told the same: the one asks the rows that the
// other releases.
func TestWorkerAndRelayAreToldTheSameSourcesAndNobodyElse(t *testing.T) {
	s := theUsual(t)
	text := s.told(t, "relay")["STRANDLINE_SOURCES"].(string)
	all, err := source.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]source.Source{orders().Source, {Name: "shop", Tenant: "acme"}}, all); d != "" {
		t.Error(d)
	}
	if s.told(t, "worker")["STRANDLINE_SOURCES"] != text {
		t.Error("the worker is told of others")
	}
	for _, function := range []string{"scheduler", "reconciler", "recorder"} {
		if said, there := s.told(t, function)["STRANDLINE_SOURCES"]; there {
			t.Errorf("the %s is told %v, and does not read it", function, said)
		}
	}
}

func TestWithoutSourcesThereIsNoRelayAndNobodyAsksRows(t *testing.T) {
	props := usual(t)
	props.Sources, props.NoStorageEvents = nil, true
	s := synthesize(t, props)
	if s.Relay != nil {
		t.Error("there is a relay")
	}
	s.ResourceCountIs(jsii.String("AWS::Lambda::Function"), jsii.Number(4))
	s.ResourceCountIs(jsii.String("AWS::Lambda::EventSourceMapping"), jsii.Number(2))
	// Nor does anybody pay for events that nobody wants.
	s.ResourceCountIs(jsii.String("AWS::Events::Rule"), jsii.Number(1))
	s.has(t, "AWS::S3::Bucket", object{"BucketName": "acme-media", "NotificationConfiguration": assertions.Match_Absent()})
	if said, there := s.told(t, "worker")["STRANDLINE_SOURCES"]; there {
		t.Errorf("the worker is told %v", said)
	}
	for role, all := range granted(t, s) {
		for at := range all {
			if strings.Contains(at, "source tables") || strings.Contains(at, "streams") || strings.Contains(at, "mappings") {
				t.Errorf("%s has rights on %s", role, at)
			}
		}
	}
}

// An outbox has no table: its releases come as messages alone.
func TestAnOutboxAloneHasARelayAndNoStream(t *testing.T) {
	props := usual(t)
	props.Sources = props.Sources[1:]
	s := synthesize(t, props)
	if s.Relay == nil || s.Alarms["stream-age"] != nil || s.Alarms["releases-age"] == nil {
		t.Errorf("relay %v, alarms %v", s.Relay, s.Alarms)
	}
	if all := granted(t, s); all["Relay"]["streams of source tables"] != "" || all["Worker"]["source tables and indexes"] != "" {
		t.Errorf("rights on tables: %v", all)
	}
}

// The name of a table of one's own app is known when it is deployed; what the
// functions are told must still be JSON then.
func TestATableOfTheAppIsASource(t *testing.T) {
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: jsii.String(t.TempDir())})
	stack := awscdk.NewStack(app, jsii.String("Test"), nil)
	table := awsdynamodb.NewTableV2(stack, jsii.String("Orders"), &awsdynamodb.TablePropsV2{
		PartitionKey: &awsdynamodb.Attribute{Name: jsii.String("pk"), Type: awsdynamodb.AttributeType_STRING},
		DynamoStream: awsdynamodb.StreamViewType_NEW_AND_OLD_IMAGES,
	})
	props := usual(t)
	one := orders()
	one.Table, one.Stream, one.Construct = "", "", table
	props.Sources = []Source{one}
	made := New(stack, "Strandline", props)
	template := assertions.Template_FromStack(stack, nil)
	if made.Relay == nil {
		t.Fatal("there is no relay")
	}
	var whole struct{ Resources map[string]resource }
	text, err := json.Marshal(template.ToJSON())
	if err != nil || json.Unmarshal(text, &whole) != nil {
		t.Fatal(err)
	}
	s := synthesized{made, template, whole.Resources}
	told := flat(s.told(t, "worker")["STRANDLINE_SOURCES"])
	all, err := source.Parse([]byte(told))
	if err != nil || len(all) != 1 || !strings.HasPrefix(all[0].Table, "${Orders") {
		t.Errorf("%v: %s", err, told)
	}
	template.HasResourceProperties(jsii.String("AWS::Lambda::EventSourceMapping"), object{
		"EventSourceArn": object{"Fn::GetAtt": []any{assertions.Match_AnyValue(), "StreamArn"}}, "StartingPosition": "TRIM_HORIZON",
	})
}

func TestSourcesThatMakeNoSenseAreRefusedInOneLine(t *testing.T) {
	for says, change := range map[string]func(*Source){
		"the ARN of the stream of table acme-orders is not given": func(s *Source) { s.Stream = "" },
		"expected the ARN of a stream of table acme-orders":       func(s *Source) { s.Stream = strings.Replace(s.Stream, "acme-orders", "acme-carts", 1) },
		"a stream is given and no table":                          func(s *Source) { *s = Source{Source: source.Source{Name: "orders"}, Stream: s.Stream} },
		"bucket elsewhere is none of the installation's":          func(s *Source) { s.URLs = []source.Base{{URL: "https://cdn.example.com/", Bucket: "elsewhere"}} },
		"key or url is needed":                                    func(s *Source) { s.Paths = source.Paths{} },
		"name: expected up to 32":                                 func(s *Source) { s.Name = "Orders" },
		"expected at most 3000":                                   func(s *Source) { s.Tenant = strings.Repeat("a", 3000) },
	} {
		props := usual(t)
		change(&props.Sources[0])
		if err := props.Validate(); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want %q", err, says)
		}
	}
	props := usual(t)
	props.Sources = append(props.Sources, props.Sources[1])
	if err := props.Validate(); err == nil || !strings.Contains(err.Error(), "another's too") {
		t.Errorf("a source twice: %v", err)
	}
}
