/** The colours and fonts that views get (MCP Apps, Theming), each for the light and the dark theme. Hosts have others. */

const COLOURS: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  "background-primary": ["#ffffff", "#221d1a"],
  "background-secondary": ["#f3eee7", "#2b2521"],
  "background-tertiary": ["#e4dcd2", "#3b342e"],
  "background-inverse": ["#241f1b", "#f0ebe5"],
  "text-primary": ["#241f1b", "#f0ebe5"],
  "text-secondary": ["#635a51", "#b8ada2"],
  "text-tertiary": ["#6f655b", "#a89c90"],
  "text-inverse": ["#ffffff", "#1f1007"],
  "text-info": ["#00717c", "#4fcbd2"],
  "text-danger": ["#9b0d3c", "#ff8fa6"],
  "text-success": ["#17723a", "#8fdc9a"],
  "text-warning": ["#7d5300", "#f1bf5b"],
  "border-primary": ["#8a7f75", "#857a70"],
  "border-secondary": ["#e4dcd2", "#3b342e"],
  "ring-primary": ["#b93d07", "#ff8f4f"],
};

export const VARIABLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(COLOURS).map(([name, [light, dark]]) => [`--color-${name}`, `light-dark(${light}, ${dark})`]),
  ),
  "--font-sans": "system-ui, sans-serif",
  "--font-mono": "ui-monospace, monospace",
  "--font-weight-normal": "400",
  "--font-weight-bold": "700",
  "--font-text-sm-size": "0.875rem",
  "--font-text-md-size": "1rem",
  "--font-text-lg-size": "1.25rem",
  "--border-radius-sm": "4px",
  "--border-radius-md": "8px",
  "--border-radius-lg": "12px",
  "--border-width-regular": "1px",
};
