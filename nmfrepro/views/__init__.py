"""How results look: text, markdown, LaTeX, pictures, one page; nothing is computed here but positions."""
