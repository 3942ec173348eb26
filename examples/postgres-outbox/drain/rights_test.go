package drain_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// rightScenes are played by roles that own nothing. With less than what the
// README gives the drainer decides nothing; were the triggers run by whoever
// deletes, the application could not delete its own rows.
var rightScenes = []scene{
	{"the drainer has the rights that the README gives it, and the application none on the schema", func(w *world) {
		w.stocked().exec("CREATE ROLE drainer")
		w.exec("CREATE ROLE application")
		w.exec("GRANT USAGE ON SCHEMA public TO application") // as a new database has it
		w.exec("GRANT SELECT, INSERT, UPDATE, DELETE ON accounts, albums, photos TO application")
		for _, grant := range granted(w.t) {
			w.exec(grant)
		}
		application := as(w.t, w.url, "application")
		_, err := application.Exec(w.t.Context(), "DELETE FROM accounts")
		must(w.t, err)
		w.Pool = as(w.t, w.url, "drainer")
		w.drain()
		equal(w.t, "sent", w.queue.entities(), "account/1", "album/1", "photo/1", "photo/2", "photo/3", "photo/4")

		_, err = application.Exec(w.t.Context(), "INSERT INTO accounts (tenant, picture_url) SELECT 'acme', 'https://cdn.example.com/c1.jpg'")
		if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || refused.Code != "55000" {
			w.t.Errorf("a row that names what was released: %v", err)
		}
	}},
}

// granted are the statements of the README.
func granted(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	must(t, err)
	all := regexp.MustCompile(`(?m)^ +(GRANT .*);$`).FindAllStringSubmatch(string(text), -1)
	if len(all) == 0 {
		t.Fatal("the README grants nothing")
	}
	var grants []string
	for _, one := range all {
		grants = append(grants, one[1])
	}
	return grants
}

// as are connections with the rights of a role.
func as(t *testing.T, url, role string) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	must(t, err)
	config.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, "SET ROLE "+role)
		return err
	}
	p, err := pgxpool.NewWithConfig(t.Context(), config)
	must(t, err)
	t.Cleanup(p.Close)
	return p
}
