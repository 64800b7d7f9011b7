/** Names by which the panel itself tells callers from each other, in questions, the log and the journal. */
const OWN_NAMES = ['owner', 'panel', 'page', 'mqtt', 'loopback', 'nobody', 'replay'];

/** Letters and digits that look like a letter of these names, small or as a capital: Latin, Greek, Cyrillic, Armenian. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'аαɑ',
  b: 'вьβ',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еεё3',
  g: 'ɡց',
  k: 'кκ',
  l: 'iіıι1ӏɩǀ',
  m: 'мμ',
  n: 'ոηνп',
  o: '0оοօσө',
  p: 'рρ',
  q: 'ԛգ',
  r: 'гɾ',
  t: 'тτ',
  w: 'ԝѡωա',
  y: 'уγ',
};
const PLAIN = new Map(Object.entries(LOOK_ALIKES).flatMap(([to, all]) => [...all].map((one) => [one, to])));

const OWN = new Set(OWN_NAMES.map(skeleton));

/**
 * Whether a person would take a name for one of the panel's own: in any case, with blanks, signs, marks or invisible
 * characters, in other forms of the letters (NFKD), or with letters of other scripts that look like them.
 */
export function isOwnName(name: string): boolean {
  return OWN.has(skeleton(name));
}

function skeleton(name: string): string {
  const letters =
    name
      .normalize('NFKD')
      .toLowerCase()
      .normalize('NFKD')
      .match(/[\p{L}\p{N}]/gu) ?? [];
  return letters
    .filter((letter) => !/[\u115F\u1160]/.test(letter))
    .map((letter) => PLAIN.get(letter) ?? letter)
    .join('');
}
