import { execFile } from 'node:child_process';

/** How long the registry may take, in milliseconds. */
const LIMIT_MS = 60_000;

type Outdated = Record<
  string,
  { readonly current?: string; readonly wanted: string; readonly latest: string }
>;

/** The packages of package.json that have a later version, as text; or why they are unknown. Changes nothing. */
export async function outdatedPackages(root: string): Promise<string> {
  const args = ['outdated', '--json', '--fetch-retries=0', `--fetch-timeout=${LIMIT_MS}`];
  const said = await new Promise<string>((resolve) => {
    // It exits with 1 where something is outdated.
    execFile('npm', args, { cwd: root, timeout: LIMIT_MS }, (_error, stdout) => resolve(stdout));
  });
  return outdatedText(said);
}

/** What `npm outdated --json` said, as a person reads it. */
export function outdatedText(said: string): string {
  let packages: Outdated & { error?: { code?: string } };
  try {
    packages = JSON.parse(said);
  } catch {
    packages = { error: {} } as typeof packages;
  }
  const { error, ...behind } = packages;
  if (error !== undefined && !('latest' in error)) {
    const why = error.code ? ` (${error.code})` : '';
    return `The registry cannot be reached${why}, so nobody can say which packages are behind their latest version.`;
  }
  const names = Object.keys(behind).sort();
  if (names.length === 0) return 'Every package of package.json is at its latest version.';
  const width = Math.max(...names.map((name) => name.length));
  const line = (name: string, { current = 'not installed', latest }: Outdated[string]) =>
    `${name.padEnd(width)}  ${current} -> ${latest}`;
  return ['Behind their latest version:', ...names.map((name) => line(name, behind[name]!))].join('\n');
}
