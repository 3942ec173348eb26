//go:build infra

package strandline

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/strandline-dev/strandline/shared/schema/rights"
	"github.com/strandline-dev/strandline/shared/source"
)

// Source is one source of releases: a table of an application, or an outbox. The
// table is in the stack's account and Region.
type Source struct {
	source.Source
	// Stream is the ARN of the table's stream, which must carry new and old
	// images. CloudFormation cannot look it up by the table's name.
	Stream string
	// Construct is a table of your own app, instead of Source.Table and Stream.
	Construct awsdynamodb.ITable
}

const (
	// maxSources is how many bytes of JSON the sources may be: a function has 4 KB
	// for all its variables.
	maxSources = 3000
	// streamBatch is how many records of a stream the relay takes at once, and
	// streamAge for how long a record that the relay fails on is tried again.
	// Meanwhile its shard waits, whose records end after a day: half of it leaves
	// the other half to catch up.
	streamBatch = 100
	streamAge   = 12 * time.Hour
)

// streamARNs are those of tables' streams; the name of the table is captured.
var streamARNs = regexp.MustCompile(`^arn:[a-z-]+:dynamodb:[a-z0-9-]+:\d{12}:table/([A-Za-z0-9_.-]{3,255})/stream/[0-9T:.-]+$`)

// described is the source with the table's name in it, as the functions are
// told of it.
func (s Source) described() source.Source {
	if s.Construct != nil {
		s.Table = *s.Construct.TableName()
	}
	return s.Source
}

func (s Source) stream() *string {
	if s.Construct != nil {
		return s.Construct.TableStreamArn()
	}
	return jsii.String(s.Stream)
}

// check says what of the source makes no sense for a deployment.
func (s Source) check() error {
	switch {
	case s.Construct != nil && (s.Table != "" || s.Stream != ""):
		return errors.New("its table is a construct: leave the name and the stream out")
	case s.Construct != nil && s.Construct.TableStreamArn() == nil:
		return errors.New("its table has no stream: turn on one of new and old images")
	case s.Construct != nil || s.Table == "" && s.Stream == "":
		return nil
	case s.Table == "":
		return errors.New("a stream is given and no table")
	case s.Stream == "":
		return fmt.Errorf("the ARN of the stream of table %s is not given", s.Table)
	}
	if found := streamARNs.FindStringSubmatch(s.Stream); len(found) != 2 || found[1] != s.Table {
		return fmt.Errorf("its stream is %q: expected the ARN of a stream of table %s", s.Stream, s.Table)
	}
	return nil
}

func (p Props) checkSources() error {
	for _, s := range p.Sources {
		if err := cmp.Or(s.check(), p.checkBucketsOf(s)); err != nil {
			return fmt.Errorf("source %s: %w", s.Name, err)
		}
	}
	text, err := p.sourcesText()
	if err != nil {
		return err
	}
	if _, err := source.Parse([]byte(text)); err != nil {
		return err
	}
	if len(text) > maxSources {
		return fmt.Errorf("the sources are %d bytes of JSON: expected at most %d, a function has 4096 for all its variables", len(text), maxSources)
	}
	return nil
}

// checkBucketsOf refuses a source of objects that nobody has a right on: each of
// its releases would end among those that were not read. The name of a bucket of
// the app is not known yet.
func (p Props) checkBucketsOf(s Source) error {
	ours := []string{""}
	for _, b := range p.Buckets {
		if b.Construct != nil {
			return nil
		}
		ours = append(ours, b.Name)
	}
	named := []string{s.Bucket}
	for _, base := range s.URLs {
		named = append(named, base.Bucket)
	}
	for _, name := range named {
		if !slices.Contains(ours, name) {
			return fmt.Errorf("bucket %s is none of the installation's: add it to the buckets", name)
		}
	}
	return nil
}

// sourcesText is what the functions are told; empty without sources.
func (p Props) sourcesText() (string, error) {
	if len(p.Sources) == 0 {
		return "", nil
	}
	all := make([]source.Source, len(p.Sources))
	for i, s := range p.Sources {
		all[i] = s.described()
	}
	text, err := json.Marshal(all)
	return string(text), err
}

// tell adds the sources to a function's variables, where there are any.
func (s *Strandline) tell(variables map[string]*string) map[string]*string {
	if text, err := s.props.sourcesText(); err == nil && text != "" {
		variables["SOURCES"] = jsii.String(text)
	}
	return variables
}

// tables are the sources that are tables.
func (p Props) tables() []Source {
	var all []Source
	for _, s := range p.Sources {
		if s.Construct != nil || s.Table != "" {
			all = append(all, s)
		}
	}
	return all
}

// asking is the right to ask the rows of the sources, where one has an index.
func (p Props) asking() []rights.Right {
	for _, s := range p.tables() {
		if s.Index != nil {
			return []rights.Right{rights.AsksRows(), rights.LooksAtRows()}
		}
	}
	return nil
}

// reading is the right to read the streams of the sources that are tables.
func (p Props) reading() []rights.Right {
	if len(p.tables()) == 0 {
		return nil
	}
	return rights.ReadsStreams()
}

// auditing is what operators may do where there are tables to audit.
func (p Props) auditing() []rights.Right {
	if len(p.tables()) == 0 {
		return nil
	}
	all := rights.Audits() // which look at rows too
	if len(p.asking()) > 0 {
		all = append(all, rights.AsksRows())
	}
	return all
}

// ofSources is where the tables, their streams and indexes are.
func (s *Strandline) ofSources(all places) {
	all[rights.AllStreams] = []*string{jsii.String("*")}
	all[rights.Mappings] = []*string{jsii.String("*")}
	for _, one := range s.props.tables() {
		table := s.tableARN(one)
		all[rights.SourceTables] = append(all[rights.SourceTables], table)
		all[rights.Streams] = append(all[rights.Streams], one.stream())
		switch {
		case one.Index == nil:
		case one.Index.Name == "":
			all[rights.SourceRows] = append(all[rights.SourceRows], table)
		default:
			all[rights.SourceRows] = append(all[rights.SourceRows], jsii.String(*table+"/index/"+one.Index.Name))
		}
	}
}

func (s *Strandline) tableARN(one Source) *string {
	if one.Construct != nil {
		return one.Construct.TableArn()
	}
	return awscdk.Stack_Of(s.Construct).FormatArn(&awscdk.ArnComponents{
		Service: jsii.String("dynamodb"), Resource: jsii.String("table"), ResourceName: jsii.String(one.Table),
	})
}

// streams have Lambda read the tables' streams for the relay, from the oldest
// record there is. What is inserted releases nothing and is not sent. A batch
// that fails is halved until the record is alone that it fails on; what is given
// up is told of in the releases' dead-letter queue, by shard and number.
func (s *Strandline) streams() {
	for _, one := range s.props.tables() {
		made := awslambda.NewEventSourceMapping(s.Construct, jsii.String("Stream"+title(one.Name)), &awslambda.EventSourceMappingProps{
			Target:                  s.Relay,
			EventSourceArn:          one.stream(),
			StartingPosition:        awslambda.StartingPosition_TRIM_HORIZON,
			BatchSize:               jsii.Number(streamBatch),
			MaxBatchingWindow:       duration(time.Second),
			BisectBatchOnError:      jsii.Bool(true),
			MaxRecordAge:            duration(streamAge),
			ReportBatchItemFailures: jsii.Bool(true),
			Filters: &[]*map[string]any{
				awslambda.FilterCriteria_Filter(&map[string]any{"eventName": []any{"MODIFY", "REMOVE"}}),
			},
		})
		// The right is among the role's own.
		made.Node().DefaultChild().(awslambda.CfnEventSourceMapping).SetDestinationConfig(
			&awslambda.CfnEventSourceMapping_DestinationConfigProperty{
				OnFailure: &awslambda.CfnEventSourceMapping_OnFailureProperty{Destination: s.ReleasesDead.QueueArn()},
			})
	}
}
