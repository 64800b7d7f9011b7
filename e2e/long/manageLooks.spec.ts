import { test } from '../manageBrowser.ts';
import { openEachView } from '../manageViews.ts';

// The first look is in e2e/specs/manage.spec.ts.
for (const [width, scheme] of [
  [390, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const)
  test(`should open each view at ${width} px, ${scheme}, without a complaint`, async ({
    panel,
    openManage,
  }) => {
    await openEachView(
      await openManage(panel, { width, scheme, token: await panel.token(), developer: true }),
    );
  });
