/** Letters of Latin scripts that are no letter with a mark. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
};

/** A name as a part of an entity's id: small letters, digits and `_`; `otherwise` where nothing is left. */
export function slugOf(name: string, otherwise: string): string {
  const plain = name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^a-z0-9]/g, (letter) => SPELLED[letter] ?? '_');
  return plain.replaceAll(/_+/g, '_').replaceAll(/^_|_$/g, '') || otherwise;
}

/** The same for several names: equal ones get a number. */
export function slugsOf(names: readonly string[], otherwise: string): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const slug = slugOf(name, otherwise);
    let free = slug;
    for (let number = 2; taken.has(free); number++) free = `${slug}_${number}`;
    taken.add(free);
    return free;
  });
}
