import createClient from "openapi-fetch";
import type { components, paths } from "./grantgraph.js";

type Grant = components["schemas"]["GrantRow"];

const service = createClient<paths, "application/json">({
  baseUrl: "https://grants.example.org",
  headers: { "X-API-Key": "the key" },
  redirect: "error", // the key goes nowhere else
  querySerializer: { array: { style: "form", explode: false } }, // lists have commas
});

export async function* grantsOf(funder: string): AsyncGenerator<Grant> {
  let cursor: string | undefined;
  do {
    const { data, error } = await service.GET("/api/v1/grants/transactions", {
      params: { query: { funder_id: [funder], limit: 1000, strict: true, ...(cursor && { cursor }) } },
    });
    if (error) {
      throw new Error(`${error.error}: ${error.message}`);
    }
    yield* data.results;
    cursor = data.next_cursor ?? undefined;
  } while (cursor);
}
