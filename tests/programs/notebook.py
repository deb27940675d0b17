"""Runs cells in a Jupyter kernel, and prints what each of them shows, as JSON.

    python notebook.py FOLDER CELLS.json

The folder is the kernel's, and the last line of the output is [[{...}], ...]: for each cell its
outputs, as Jupyter keeps them.
"""

import json
import sys

import nbformat
from nbclient import NotebookClient


def outputs(folder, sources):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    notebook = nbformat.v4.new_notebook(cells=cells)
    where = {"metadata": {"path": folder}}
    NotebookClient(notebook, timeout=120, allow_errors=True, resources=where).execute()
    return [cell.outputs for cell in notebook.cells]


if __name__ == "__main__":
    folder, file = sys.argv[1:]
    with open(file) as cells:
        print(json.dumps(outputs(folder, json.load(cells))))
