"""Prints how many bytes podtrack and numpy.savez_compressed take for the same arrays:
bytes.py CHECK.json STORE FOLDER, the first from podtrack check --json, the store
compacted, the folder from pod_numpy.py --save."""
import json
import os
import sys
import zipfile


def members(folder):
    """The compressed bytes of each array of all archives, by its name."""
    sizes = {}
    for name in sorted(os.listdir(folder)):
        with zipfile.ZipFile(os.path.join(folder, name)) as archive:
            for member in archive.infolist():
                array = member.filename.rsplit("/", 1)[1].removesuffix(".npy")
                sizes[array] = sizes.get(array, 0) + member.compress_size
    return sizes


def main(check, store, folder):
    with open(check) as f:
        payload = json.load(f)["bytes"]
    sizes = members(folder)
    whole = sum(sizes.values())
    print(f"savez_compressed, all arrays   {whole:12,}")
    print(f"  without q, which follows     {whole - sizes['q']:12,}")
    print(f"podtrack's records             {payload:12,}  {payload / whole:.2f} of all, {payload / (whole - sizes['q']):.2f} without q")
    print(f"podtrack's file, compacted     {os.path.getsize(store):12,}  {os.path.getsize(store) / payload:.2f} of its records")


if len(sys.argv) != 4:
    sys.exit(__doc__)
main(*sys.argv[1:])
