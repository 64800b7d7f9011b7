import { build } from 'esbuild';

/** A script with all that it imports, as a classic script for a page of a test. */
export async function pageBundle(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    logLevel: 'silent',
  });
  return outputFiles[0]!.text;
}
