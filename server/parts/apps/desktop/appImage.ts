import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid, nameFromFile } from '../packageFile.ts';
import { escapeString, formatExec } from './desktopEntry.ts';
import { homeFolders } from './environment.ts';

/** The places of the parts of an installed AppImage. */
interface AppImagePlan {
  readonly id: string;
  readonly image: string;
  readonly entryFile: string;
  readonly entryText: string;
}

/**
 * What an AppImage becomes when it is installed: a copy in `~/Applications` and a desktop entry, both named after the
 * file. Its own entry and icon are not taken: they lie in a file system that only the AppImage itself, or a program
 * that a panel lacks, can unpack, and no part of a package runs before somebody launches it.
 * @throws FaceplateError INVALID_REQUEST
 */
export async function planAppImage(path: string, session: NodeJS.ProcessEnv): Promise<AppImagePlan> {
  if (!(await isAppImage(path))) throw invalid('The file is not an AppImage.');
  const id = nameFromFile(path);
  const { home, dataHome } = homeFolders(session);
  const image = join(home, 'Applications', `${id}.AppImage`);
  const entryText = `[Desktop Entry]
Type=Application
Name=${escapeString(id.replaceAll(/[_-]+/g, ' '))}
TryExec=${escapeString(image)}
Exec=${formatExec([image])}
`;
  return { id, image, entryFile: join(dataHome, 'applications', `${id}.desktop`), entryText };
}

/** An ELF program with the letters AI after its identification (AppImage specification, types 1 and 2). */
async function isAppImage(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(11), 0, 11, 0);
    const isElf = buffer.toString('latin1', 0, 4) === '\x7fELF';
    return bytesRead === 11 && isElf && buffer.toString('latin1', 8, 10) === 'AI';
  } finally {
    await file.close();
  }
}
