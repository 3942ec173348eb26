package postgrestest

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// servers are the accounts a server may run as when the tests run as root,
// which PostgreSQL refuses: its packages' own, and the one every system has.
var servers = []string{"postgres", "nobody"}

// account is whom the server runs as; nil for whoever runs the tests.
func account() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range servers {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
		if errUID == nil && errGID == nil && uid != 0 {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, fmt.Errorf("PostgreSQL does not run as root, and there is no account %q or %q to run it as", servers[0], servers[1])
}

// folder makes the server's own folder, which its account can enter.
func folder(who *syscall.Credential) (string, error) {
	dir, err := os.MkdirTemp("", "strandline-postgres-")
	if err != nil {
		return "", err
	}
	if who != nil {
		err = os.Chown(dir, int(who.Uid), int(who.Gid))
	}
	return dir, err
}
