import { join } from 'node:path';
import { pageBundle } from '../../build/bundle/pageBundle.ts';
import { expect, test } from '../fixtures.ts';

test('should call a panel with the client from a page of another origin', async ({
  panel: service,
  page,
  api,
  startSite,
}) => {
  const script = await pageBundle(join(import.meta.dirname, '../clients/browserClient.ts'));
  const site = await startSite({ '/': `<h1>dashboard</h1><script>${script}</script>` });
  const settings = { kiosk: { url: `${site.origin()}/` }, http: { allowedOrigins: [site.origin()] } };
  await api('/api/manage/settings', settings, { method: 'PATCH' });
  await expect(page.getByRole('heading', { name: 'dashboard' })).toBeVisible();
  const [address, token] = [await service.url, await service.token()];
  const found = await page.evaluate(
    ([url, secret]) =>
      (window as unknown as { tryClient(url: string, token: string): Promise<unknown> }).tryClient(
        url!,
        secret!,
      ),
    [address, token],
  );
  expect(found).toEqual({
    state: expect.objectContaining({ red: 9, green: 8, blue: 7 }),
    refused: 'PROJECT_NOT_FOUND',
    names: expect.arrayContaining(['snapshot', 'gpio', 'enough']),
  });
});
