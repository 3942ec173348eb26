package localstack

import (
	"crypto/sha256"
	_ "embed" // the pins
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Emulator is one of the clouds that this package installs and starts.
type Emulator int

const (
	// Ministack has S3, DynamoDB, SQS, Lambda and more, and is the default. It
	// needs Python 3.10 or newer.
	Ministack Emulator = iota
	// LocalStack has S3 and SQS here: its DynamoDB and Lambda are downloads
	// that it would make by itself. It needs Python 3.12 or 3.13.
	LocalStack
)

// The versions, as the pins name them.
const (
	MinistackVersion  = "1.5.33"
	LocalStackVersion = "4.14.0"
)

//go:embed requirements-ministack.txt
var ministackPins []byte

//go:embed requirements-localstack.txt
var localStackPins []byte

// recipe is all in which the emulators differ.
type recipe struct {
	name, version string
	pins          []byte
	minor, newest int           // of Python 3; newest 0: any newer one
	fetching      string        // how long, how much
	probe         string        // what an interpreter that has it can import
	module        string        // what python -m runs
	health        string        // the path that says who answers
	ready         time.Duration // within which it answers, on a busy machine
	// settings are the environment: the port, folders of its own, and a name
	// by which its answer is told from that of another on the same port.
	settings func(dir string, port int, name string) []string
	// sign places the name where no setting can; nil: one can.
	sign func(dir, name string) error
}

func (e Emulator) recipe() recipe {
	if e == LocalStack {
		return recipe{
			name: "localstack", version: LocalStackVersion, pins: localStackPins,
			minor: 12, newest: 13, fetching: "about a minute, 500 MB",
			probe: "localstack.version", module: "localstack.runtime.main",
			health: "/_localstack/health", ready: 4 * time.Minute, settings: localStackSettings, sign: signLocalStack,
		}
	}
	return recipe{
		name: "ministack", version: MinistackVersion, pins: ministackPins,
		minor: 10, fetching: "about 20 s",
		probe: "ministack", module: "ministack",
		health: "/_ministack/health", ready: time.Minute, settings: ministackSettings,
	}
}

// String is the emulator's name and version.
func (e Emulator) String() string { return e.recipe().String() }

func (r recipe) String() string { return r.name + " " + r.version }

// installName changes with the pins, so a new pin never meets an old install.
func (r recipe) installName() string {
	sum := sha256.Sum256(r.pins)
	return r.name + "-" + r.version + "-" + hex.EncodeToString(sum[:])[:12]
}

// pythons says in words which Python it runs on.
func (r recipe) pythons() string {
	if r.newest == 0 {
		return fmt.Sprintf("python 3.%d or newer", r.minor)
	}
	return fmt.Sprintf("python 3.%d to 3.%d", r.minor, r.newest)
}

func ministackSettings(dir string, port int, name string) []string {
	return []string{
		"STATE_DIR=" + filepath.Join(dir, "state"),
		"S3_DATA_DIR=" + filepath.Join(dir, "s3"),
		"GATEWAY_PORT=" + strconv.Itoa(port),
		"BIND_HOST=127.0.0.1",
		"MINISTACK_EDITION=" + name,
		"LOG_LEVEL=WARNING",
	}
}

// localStackSettings keep it on this machine and in its folder. Its default
// server, twisted, listens on all addresses whatever it is told; hypercorn does
// not. In a container it would take the machine's own folders for its own.
func localStackSettings(dir string, port int, _ string) []string {
	return []string{
		"FILESYSTEM_ROOT=" + dir,
		"OVERRIDE_IN_DOCKER=0",
		"GATEWAY_SERVER=hypercorn",
		"GATEWAY_LISTEN=127.0.0.1:" + strconv.Itoa(port),
		"DNS_ADDRESS=0",            // no name server
		"SKIP_SSL_CERT_DOWNLOAD=1", // it is spoken to without TLS
		"DISABLE_EVENTS=1",         // sends no usage statistics
		// Loaded before it answers: on a busy machine this takes longer than a
		// client waits for its first call.
		"SERVICES=s3,sqs",
		"EAGER_SERVICE_LOADING=1",
		"LS_LOG=info", // a line for each call
	}
}

// signLocalStack: its health names as its edition what it finds in this folder.
func signLocalStack(dir, name string) error {
	at := filepath.Join(dir, "usr", "lib", "localstack")
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(at, "."+name+"-version"), nil, 0o644)
}
