/** Own icons: lines on 24 by 24, drawn in the colour of the text. */
const PATHS = {
  home: 'M4 11l8-7 8 7v9h-6v-6h-4v6H4z',
  content: 'M7 3h12v14H7zM4 7v14h12M10 7h6M10 10h6',
  screen: 'M4 4h16v12H4zM9 20h6M12 16v4',
  devices: 'M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4',
  connections: 'M4 9a12 12 0 0 1 16 0M7 13a8 8 0 0 1 10 0M10 17a3 3 0 0 1 4 0',
  people:
    'M9 4a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM3 20c0-4 3-6 6-6s6 2 6 6M16 5a3 3 0 0 1 0 6M18 14c2 1 3 3 3 6',
  system: 'M4 7h9M17 7h3M15 5v4M4 12h3M11 12h9M9 10v4M4 17h11M19 17h1M17 15v4',
  fleet: 'M3 4h7v6H3zM14 4h7v6h-7zM3 14h7v6H3zM14 14h7v6h-7z',
  more: 'M5 12h.010M12 12h.010M19 12h.010',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  account: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20c1-4 4-6 8-6s7 2 8 6',
  add: 'M12 5v14M5 12h14',
  remove: 'M6 6l12 12M18 6L6 18',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  undo: 'M8 5L4 9l4 4M4 9h10a5 5 0 0 1 0 10H9',
  bell: 'M6 16v-5a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  alert: 'M12 4L2.500 20h19zM12 10v5M12 17.500h.010',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 7.500h.010',
  up: 'M12 19V5M6 11l6-6 6 6',
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
