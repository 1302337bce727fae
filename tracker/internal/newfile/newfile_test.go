package newfile

import "testing"

func TestPageSizeIsPinned(t *testing.T) {
	if pageSize != 16384 {
		t.Error(pageSize)
	}
}
