package client_test

import (
	"context"
	"fmt"
	"log"
	"net/url"
	"os"

	"grantgraph/client"
)

// All grants of a funder.
func Example() {
	if err := printGrants(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func printGrants(ctx context.Context) error {
	c, err := client.New("https://grants.example.org", client.Options{Key: os.Getenv("GRANTGRAPH_KEY")})
	if err != nil {
		return err
	}
	for grant, err := range c.ListTransactions(ctx, url.Values{"funder_id": {"00-0000001"}}) {
		if client.SlugOf(err) == client.SlugQuotaExhausted {
			return fmt.Errorf("the calls of this key are used up: %w", err)
		}
		if err != nil {
			return err
		}
		fmt.Println(grant.RecipName, grant.Amount)
	}
	return nil
}
