// Package audit has the form of an audit document: one HTML file with a text for people and,
// behind it, the evidence that proves the text.
//
// [Page] renders the text. [Write] writes a document; [Scan] finds the evidence in a file that
// anybody may have made, and verifies the frame around it: see frame.go. What the evidence
// proves is the business of package proof. FORMAT.md, Audit documents, has the bytes.
package audit
