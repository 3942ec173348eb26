// Command nothing is a function that does nothing but answer: what every
// function in Go takes to start.
package main

import "github.com/aws/aws-lambda-go/lambda"

func main() {
	lambda.Start(func() (string, error) { return "nothing", nil })
}
