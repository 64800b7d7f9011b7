import { mendedSentences } from '../../server/video/media/mendedWords.ts';
import { fieldCases } from '../../server/video/testing/fieldCameras/cases.ts';
import type { FieldCase } from '../../server/video/testing/fieldCameras/fieldCase.ts';

/** The tables of docs/video.md: what cameras do that no RFC says, and what happens then, from the cases of the tests. */
export function cameraCaseTables(): string {
  const tables = Object.entries(fieldCases).map(
    ([kind, cases]) => `### ${kind}

| the camera | what happens | since | case |
| --- | --- | --- | --- |
${cases.map(rowOf).join('\n')}
`,
  );
  return tables.join('\n');
}

function rowOf(one: FieldCase): string {
  const star = one.besidePeers ? ' *' : '';
  return `| ${one.does} | ${whatHappens(one)} | ${one.since} | \`${one.name}\`${star} |`;
}

function whatHappens({ right, pending }: FieldCase): string {
  if (pending) return 'not right yet';
  if (!right.plays) return `\`${right.code}\``;
  const again = right.losses === 0 ? '' : ' (after one lost connection)';
  const mended = mendedSentences(right.mended).map((sentence) => sentence.replace(/^.*; (.*)\.$/, '$1'));
  return `plays${again}${mended.length === 0 ? '' : `: ${mended.join('; ')}`}`;
}
