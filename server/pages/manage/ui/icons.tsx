/** Own icons: lines on 24 by 24, drawn in the colour of the text. */
const PATHS = {
  overview: 'M4 5h16v11H4zM9 20h6M12 16v4',
  screen: 'M4 4h16v12H4zM10 13l2 7 2-3 3-1z',
  projects: 'M4 7l8-4 8 4v10l-8 4-8-4zM4 7l8 4 8-4M12 11v10',
  pages: 'M7 3h12v14H7zM4 7v14h12M10 7h6M10 10h6',
  display:
    'M12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600l1.500 1.500M16.900 16.900l1.500 1.500M5.600 18.400l1.500-1.500M16.900 7.100l1.500-1.500M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  messages: 'M4 5h16v11H10l-4 4v-4H4zM8 9h8M8 12h5',
  console: 'M4 5h16v14H4zM7 9l3 3-3 3M12 15h5',
  log: 'M6 3h9l4 4v14H6zM9 11h7M9 15h7M9 7h3',
  hardware: 'M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4',
  cameras: 'M3 7h12v10H3zM15 11l6-3v8l-6-3',
  intercom: 'M6 3h4l2 5-3 2a12 12 0 0 0 5 5l2-3 5 2v4c0 2-1 3-3 3C10 20 4 13 4 6c0-2 1-3 2-3z',
  fleet: 'M3 4h7v6H3zM14 4h7v6h-7zM3 14h7v6H3zM14 14h7v6h-7z',
  settings: 'M4 7h9M17 7h3M15 5v4M4 12h3M11 12h9M9 10v4M4 17h11M19 17h1M17 15v4',
  network: 'M4 9a12 12 0 0 1 16 0M7 13a8 8 0 0 1 10 0M10 17a3 3 0 0 1 4 0',
  access: 'M8 14a4 4 0 1 1 3-6.500l9 0v4h-3v3h-3v-3h-2a4 4 0 0 1-4 2.500z',
  journal: 'M5 4h14v16H5zM9 4v16M12 9h4M12 13h4',
  timeline: 'M3 7h18M3 12h18M3 17h18M7 5v4M14 10v4M10 15v4M18 5v4',
  backup: 'M12 3v11M8 10l4 4 4-4M4 16v4h16v-4',
  system: 'M12 3v9M7 6a8 8 0 1 0 10 0',
  api: 'M8 6l-5 6 5 6M16 6l5 6-5 6',
  menu: 'M4 6h16M4 12h16M4 18h16',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside its words, which say the same to a screen reader. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
