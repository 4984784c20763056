// Package recipient names recipients: one name for every EIN that was paid, and one for every foreign recipient
// without an EIN.
package recipient
