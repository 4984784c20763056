// Package classify determines the kind of a grant line or a funder from the filing alone: whether a line names a
// person, nobody in particular or a related party; what kind of support its purpose describes; and whether a funder
// is a private foundation, a public charity or a sponsor of donor-advised funds.
//
// Everything here is a pure function, except for the classifier of persons' names. Each build trains it on its own
// officers and register, so no list of people's names is stored.
package classify
