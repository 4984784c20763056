package sqlbox

import (
	"context"
	"database/sql"
	"fmt"
)

// openEngine opens an empty database in memory with its only connection.
func openEngine(ctx context.Context) (*sql.DB, *sql.Conn, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, conn, nil
}

func run(ctx context.Context, conn *sql.Conn, statements ...string) error {
	for _, s := range statements {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%w in %s", err, s)
		}
	}
	return nil
}

// hardening returns the statements that secure an engine before it runs SQL from outside. The order matters: open files stay
// open when external access is disabled, then the file system, and the lock comes last.
func hardening(memory int64, threads int) []string {
	return []string{
		fmt.Sprintf("SET memory_limit = '%dKiB'", memory>>10),
		fmt.Sprintf("SET threads = %d", threads),
		"SET GLOBAL TimeZone = 'UTC'",
		"SET GLOBAL max_expression_depth = 400",
		"SET GLOBAL errors_as_json = true", // gives the position of an error, however long its line is
		"SET temp_directory = ''",
		"SET autoinstall_known_extensions = false",
		"SET autoload_known_extensions = false",
		"SET allow_community_extensions = false",
		"SET enable_external_access = false",
		"SET disabled_filesystems = 'LocalFileSystem'",
		"SET lock_configuration = true",
	}
}
