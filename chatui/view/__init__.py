"""From turns and Markdown to laid-out lines; plain and ANSI renderers."""
