import { Client, GrantgraphError, type GrantRow } from "grantgraph";

const service = new Client("https://grants.example.org");

const { results } = await service.searchOrganizations({ q: "community foundation", limit: 3 });
const totals = await service.summarizeGrants({ year: [2020, 2021, 2022], location: ["OH", "IL"] });
console.log(results[0]?.name, totals.summary.grant_count);

let largest: GrantRow | undefined;
for await (const grant of service.listTransactions({ location: "OH", year: 2022 })) {
  if (!largest || grant.amount > largest.amount) largest = grant;
}
console.log(largest?.funder_name, "to", largest?.recip_name, largest?.amount);

for await (const page of service.listFunders({ location: "OH" }).pages()) {
  console.log(page.hits, page.results.length, page.x_service.warnings.length);
}
const meant = await service.identify(results[0]?.name ?? "", results[0]?.state);
console.log(meant.verdict, meant.candidates.map((o) => o.ein));

try {
  // @ts-expect-error: the compiler knows the parameters
  await service.summarizeGrants({ locaton: "OH", strict: true });
} catch (e) {
  if (!(e instanceof GrantgraphError)) throw e;
  console.log(e.slug, "-", e.hint);
}
