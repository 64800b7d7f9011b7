import { execFileSync } from 'node:child_process';
import type { Page } from '@playwright/test';

/** What Debian's own reader finds in a picture of the QR code. */
export async function readQr(page: Page): Promise<string> {
  const picture = await page.getByTestId('qr').screenshot();
  const args = ['--quiet', '--raw', '-Sdisable', '-Sqrcode.enable', '-'];
  return execFileSync('zbarimg', args, {
    input: picture,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
  }).trim();
}
