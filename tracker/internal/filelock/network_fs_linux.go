package filelock

import (
	"os"

	"golang.org/x/sys/unix"
)

// networkFileSystems maps the magic numbers of statfs(2) to network file systems. Those that
// package unix lacks are from the systems' own headers.
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

// FileSystemMagic returns the type of a file's file system according to statfs(2). Tests replace it.
var FileSystemMagic = func(f *os.File) (int64, error) {
	var st unix.Statfs_t
	err := unix.Fstatfs(int(f.Fd()), &st)
	return int64(uint32(st.Type)), err
}

// NetworkFileSystem returns the name of the network file system of a file, or "" if it is local or unknown.
func NetworkFileSystem(f *os.File) (string, error) {
	magic, err := FileSystemMagic(f)
	return networkFileSystems[magic], err
}

// localFileSystems has the file systems that only one kernel accesses, so that a lock that is free
// here is free everywhere.
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

// OnLocalDisk reports whether a file is known to be on a file system of localFileSystems.
func OnLocalDisk(f *os.File) bool {
	magic, err := FileSystemMagic(f)
	return err == nil && localFileSystems[magic]
}
