package codec

import (
	"bytes"

	"github.com/podtrack/podtrack/schema"
)

// CheckHolds returns an error unless a stored form decodes to exactly the record, whose digest is name. It hashes
// nothing but records that are too large to unpack before they are verified.
func (c *Codec) CheckHolds(mem *Scratch, name schema.Digest, stored, record []byte) error {
	how, size, data, err := c.checkAndParse(stored)
	switch {
	case err != nil:
		return err
	case size != int64(len(record)):
		return errWrongDigest
	case size > maxUnverified:
		found, err := c.streamDigest(how, size, data)
		if err == nil && found != name {
			err = errWrongDigest
		}
		return err
	}
	raw, err := c.unpack(mem, how, size, data)
	if err == nil && !bytes.Equal(raw, record) {
		err = errWrongDigest
	}
	return err
}
