// Package audit shows where an option comes from, as text or as an audit document: an HTML file that contains the
// records that prove its text.
//
// [PrintStage] prints an audit. [Save] writes a document for an option. [Verify] verifies a document, its format and
// its text, and trusts nothing in it. Package proof decides what the records prove. FORMAT.md describes the bytes,
// under Audit documents.
package audit
