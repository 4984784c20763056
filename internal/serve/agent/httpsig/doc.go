// Package httpsig identifies an automated client by its HTTP message signature. It
// implements the web-bot-auth profile of RFC 9421: an agent signs the authority that it
// calls and the address of its key directory with an Ed25519 key, and publishes that key
// in the directory at its own host.
//
// A Verifier checks a request. It reads the signature tagged web-bot-auth, checks its
// parameters against the limits, rebuilds the signed text, asks a Directory for the key
// at the host that the agent names, and records the nonce, so that a signature works
// once. A Signer signs requests, and a Publisher serves a signed directory.
//
// All input comes from strangers and is bounded: header lengths, counts, times, and above
// all the directory, which a stranger chooses and we fetch. The algorithm follows from
// the key, never from the message. The package refuses everything that it does not
// understand.
//
// The package decides only who signed. Its caller decides which tier that earns.
package httpsig
