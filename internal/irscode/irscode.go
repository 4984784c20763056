// Package irscode says what the codes of public lists mean: those of the IRS
// Business Master File and of Publication 78, and the statuses of California's
// registry. The readers of the lists pass codes on as they are published;
// whoever shows one to a person asks here for its label.
//
// An unknown code has the empty label. The lists hold a few that are documented
// nowhere, and a guess would be served as fact.
package irscode
