// Package tmpdeps pins modules while their users are being written.
package tmpdeps

import (
	_ "github.com/duckdb/duckdb-go/v2"
	_ "github.com/getkin/kin-openapi/openapi3"
	_ "github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/prometheus/client_golang/prometheus"
	_ "github.com/prometheus/client_golang/prometheus/promhttp"
	_ "modernc.org/sqlite"
)
