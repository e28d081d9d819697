"""Lists as CommonMark, and so the code host, reads them: what belongs to an item is indented by two
spaces, and a list may follow a line of text. Python-Markdown wants four, and an empty line."""

import re

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor


class LineBefore(Preprocessor):
    def run(self, lines):
        out = []
        for line in lines:
            is_first_item = re.match(r"(- |1\. )", line)
            if is_first_item and out and re.match(r"[^\s-]", out[-1]):
                out.append("")
            out.append(line)
        return out


class Lists(Extension):
    def extendMarkdown(self, md):
        md.tab_length = 2
        md.build_parser()
        md.preprocessors.register(LineBefore(md), "line_before_list", 0)  # after code blocks are extracted


def on_config(config):
    config.markdown_extensions.insert(0, Lists())  # before any extension that adds to the parser
