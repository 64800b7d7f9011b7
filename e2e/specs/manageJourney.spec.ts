import { expect, test } from '../manageBrowser.ts';

test('should say which right is missing instead of failing', async ({ panel, openManage, api }) => {
  const { body: made } = await api('/api/manage/tokens', { name: 'guest', scopes: ['view'] });
  const { page } = await openManage(panel, { token: String(made.token), at: '#/people' });
  await expect(page.getByTestId('problem').first()).toContainText('Your token does not allow it');
  await expect(page.getByTestId('problem').first()).toContainText('"manage"');
});
