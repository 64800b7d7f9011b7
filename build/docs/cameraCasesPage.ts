import { mendedSentences } from '../../server/video/media/mendedWords.ts';
import { fieldCases } from '../../server/video/testing/fieldCameras/cases.ts';
import type { FieldCase } from '../../server/video/testing/fieldCameras/fieldCase.ts';

/** docs/camera-cases.md: what cameras do that no RFC says, and what happens then, from the cases of the tests. */
export function cameraCasesPage(): string {
  const tables = Object.entries(fieldCases).map(
    ([kind, cases]) => `## ${kind}

| the camera | what happens | since | case |
| --- | --- | --- | --- |
${cases.map(rowOf).join('\n')}
`,
  );
  return `# What cameras do, and what happens then

Made from \`server/video/testing/fieldCameras/\`. Each line is a camera that the tests play, most of them as somebody has recorded it.
A code is what \`GET /api/stream/inspect\` answers ([what to do](video.md#when-it-does-not-play)). Those with a star are played beside go2rtc and MediaMTX by
\`npm run bench -- field\`.

${tables.join('\n')}`;
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
