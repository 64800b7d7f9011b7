import { open } from 'node:fs/promises';

/** A rename survives a loss of power only when its folder is synced too. @throws an errno exception */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
