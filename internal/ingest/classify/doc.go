// Package classify says what kind of thing a grant line or a funder is, from
// what was filed and nothing else: whether a line names a person, nobody in
// particular or a related party; what kind of support its purpose describes;
// and whether a funder is a private foundation, a public charity or a conduit
// for other people's money.
//
// Everything here is a pure function, except that persons are told from
// organizations by a classifier that each build trains on its own officers and
// its own register, so that no list of people's names is kept anywhere.
package classify
