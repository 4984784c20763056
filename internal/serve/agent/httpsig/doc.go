// Package httpsig knows an automated client by its HTTP message signature. It
// implements the web-bot-auth profile of RFC 9421: an agent signs the authority
// it calls and the address of its key directory with an Ed25519 key, and
// publishes that key in the directory at its own host.
//
// A Verifier checks a request: it reads the signature tagged web-bot-auth,
// holds its parameters against the limits, rebuilds the text that was signed,
// asks a Directory for the key at the host the agent names, and remembers the
// nonce so that a signature works once. A Signer and a Publisher are the other
// side: they sign requests and serve a signed directory.
//
// Everything read here comes from a stranger and is bounded: header lengths,
// counts, times, and above all the directory, which a stranger chooses and we
// fetch. The algorithm follows from the key, never from the message. Whatever
// is not understood is refused, never skipped.
//
// The package decides who signed and nothing else: which tier that earns is
// the business of its caller.
package httpsig
