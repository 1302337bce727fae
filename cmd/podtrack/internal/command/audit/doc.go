// Package audit shows where an option comes from: as text for people, and as an audit document, an HTML file that
// carries the records which prove its text.
//
// [PrintStage] prints an audit. [Save] writes a document of an option; [Verify] verifies one of any origin, from its
// frame to its text. What the records prove is decided by package proof. FORMAT.md, Audit
// documents, has the bytes.
package audit
