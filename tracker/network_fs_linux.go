package tracker

import (
	"os"

	"golang.org/x/sys/unix"
)

// networkFileSystems are the network file systems that statfs(2) tells, by its magic number.
// Those that package unix does not name are from the systems' own headers.
var networkFileSystems = map[int64]string{
	unix.NFS_SUPER_MAGIC:  "NFS",
	unix.SMB_SUPER_MAGIC:  "SMB",
	unix.SMB2_SUPER_MAGIC: "SMB",
	unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.FUSE_SUPER_MAGIC: "FUSE, such as sshfs",
	unix.V9FS_MAGIC:       "9p",
	unix.CEPH_SUPER_MAGIC: "CephFS",
	unix.AFS_SUPER_MAGIC:  "AFS",
	unix.AFS_FS_MAGIC:     "AFS",
	unix.CODA_SUPER_MAGIC: "Coda",
	0x0BD00BD0:            "Lustre",
	0x47504653:            "GPFS",
	0x19830326:            "BeeGFS",
}

// fileSystemMagic is statfs(2)'s type of a file's file system. Tests replace it.
var fileSystemMagic = func(f *os.File) (int64, error) {
	var st unix.Statfs_t
	err := unix.Fstatfs(int(f.Fd()), &st)
	return int64(uint32(st.Type)), err
}

// networkFileSystem is the network file system that a file is on, "" for none.
func networkFileSystem(f *os.File) (string, error) {
	magic, err := fileSystemMagic(f)
	return networkFileSystems[magic], err
}

// localFileSystems are the file systems that one kernel has alone, so that a lock which is
// free there is held by nobody anywhere.
var localFileSystems = map[int64]bool{
	unix.EXT4_SUPER_MAGIC:      true, // ext2 and ext3, too
	unix.XFS_SUPER_MAGIC:       true,
	unix.BTRFS_SUPER_MAGIC:     true,
	unix.F2FS_SUPER_MAGIC:      true,
	unix.TMPFS_MAGIC:           true,
	unix.OVERLAYFS_SUPER_MAGIC: true,
	0x2FC12FC1:                 true, // ZFS
	0xCA451A4E:                 true, // bcachefs
}

// isOnLocalDisk reports whether a file is known to be on such a file system.
func isOnLocalDisk(f *os.File) bool {
	magic, err := fileSystemMagic(f)
	return err == nil && localFileSystems[magic]
}
