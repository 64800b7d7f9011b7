/**
 * A room of the house: a folder (or one file) and what its files may import. A `*` in the path stands for one folder
 * name, and each such folder is a room of its own. Files of one room may always import each other.
 */
export interface Room {
  /** Path from the root: a folder ends in `/`. The longest path that fits a file is its room. */
  readonly path: string;
  /** Folders and files that may be imported. */
  readonly imports?: readonly string[];
  /** As `imports`, by `import type` only: the shape is known here, the thing itself is handed in. */
  readonly types?: readonly string[];
  /** Further imports of the room's `*.test.ts` files, besides server/testing/, which every test may use. */
  readonly testImports?: readonly string[];
  /** npm packages that have their home here. */
  readonly packages?: readonly string[];
  /** npm packages of which only the types may be used here; tests may use the whole. */
  readonly typePackages?: readonly string[];
  /** Whether Node's own modules may be used; `false` for code that also runs elsewhere. */
  readonly node?: boolean;
}

const contract = 'server/contract/';
const observe = 'server/observe/';
const deviceIo = 'server/drivers/native/deviceIo.ts';

/** npm packages that any `*.test.ts` file may use. */
export const testPackages: readonly string[] = ['fast-check'];

/** The import rules of the project. docs/architecture.md says why they are as they are. */
export const rooms: readonly Room[] = [
  { path: contract, packages: ['zod'], node: false },
  { path: observe, types: [contract], packages: ['pino'] },
  { path: 'server/store/', imports: ['server/contract/errors.ts', observe] },
  {
    path: 'server/config/',
    imports: [
      'server/contract/errors.ts',
      'server/contract/sip.ts',
      'server/contract/sipSettings.ts',
      observe,
      'server/store/',
    ],
    types: [contract],
    packages: ['zod'],
  },
  {
    path: 'server/commands/',
    imports: [contract],
    types: ['server/config/', 'server/services/', observe],
    typePackages: ['zod'],
  },
  {
    path: 'server/http/',
    imports: [contract, observe, 'server/commands/'],
    types: ['server/config/'],
    packages: ['fastify', '@fastify/static', '@fastify/compress'],
  },
  {
    path: 'server/bridge/',
    imports: [contract, observe, 'server/commands/'],
    types: ['server/host/host.ts', 'server/services/sip/driver.ts'],
  },
  {
    path: 'server/host/',
    imports: [contract, observe, 'preload/'],
    types: ['server/config/'],
    // Trust in certificates is shown with the real service behind the real browser.
    testImports: ['server/services/certificates/', 'server/drivers/certificates/'],
  },
  {
    path: 'server/host/chromium/testKiosk.ts',
    imports: [contract, observe, 'server/host/', 'server/bridge/', 'server/commands/'],
  },
  // One suite for every host; the test kiosk is handed in.
  { path: 'server/host/suite/', imports: ['server/host/'] },
  {
    path: 'server/media/',
    imports: ['server/contract/errors.ts', observe],
    testImports: ['server/drivers/native/'],
    packages: ['werift'],
  },
  {
    path: 'server/media/testing/',
    imports: ['server/media/', 'server/testing/', 'server/contract/errors.ts'],
    packages: ['werift'],
  },
  {
    path: 'server/sip/',
    imports: ['server/contract/errors.ts', observe],
    types: ['server/services/*/driver.ts'],
    packages: ['@peculiar/x509'],
  },
  {
    path: 'server/callMedia/',
    imports: ['server/contract/errors.ts', observe, 'server/media/'],
    types: ['server/services/sip/driver.ts'],
    testImports: ['server/host/chromium/testKiosk.ts'],
  },
  {
    path: 'server/callMedia/testing/',
    imports: [
      'server/callMedia/',
      'server/media/',
      'server/drivers/native/',
      'server/host/chromium/testKiosk.ts',
      observe,
      'server/testing/',
    ],
    types: ['server/services/sip/driver.ts'],
    packages: ['werift'],
  },
  {
    path: 'server/sip/testing/',
    imports: ['server/sip/', 'server/testing/', observe],
    types: ['server/services/*/driver.ts'],
  },
  { path: 'server/services/', imports: [contract, observe] },
  {
    path: 'server/services/*/',
    imports: [contract, observe, 'server/store/', 'server/services/*.ts'],
    testImports: ['server/drivers/'],
  },
  {
    path: 'server/services/settingsPage/',
    imports: [contract, observe, 'server/store/', 'server/services/*.ts'],
    packages: ['uqr'],
  },
  {
    path: 'server/services/projects/',
    imports: [contract, observe, 'server/store/', 'server/services/*.ts'],
    packages: ['yauzl'],
  },
  {
    path: 'server/services/projects/installUntilKilled.ts',
    imports: [observe, 'server/services/projects/', 'server/testing/'],
  },
  {
    path: 'server/services/stream/',
    imports: [contract, observe, 'server/media/'],
  },
  {
    path: 'server/drivers/*/',
    imports: [contract, observe],
    types: ['server/services/*/driver.ts', deviceIo],
    testImports: ['server/drivers/native/'],
  },
  {
    path: 'server/drivers/discovery/',
    imports: [observe],
    types: ['server/services/*/driver.ts'],
    packages: ['bonjour-service'],
  },
  {
    path: 'server/drivers/native/',
    imports: [observe],
    types: ['server/media/driver.ts'],
    // The portable way passes the same tests.
    testImports: ['server/media/portableDriver.ts'],
    packages: ['koffi'],
  },
  {
    path: 'server/drivers/serial/',
    imports: [observe],
    types: ['server/services/*/driver.ts', deviceIo],
    testImports: ['server/drivers/native/'],
    packages: ['serialport'],
  },
  // Makes the drivers that a board profile names.
  {
    path: 'server/drivers/*.ts',
    imports: ['server/drivers/', observe],
    types: ['server/config/', 'server/services/*/driver.ts'],
  },
  {
    path: 'server/helper/',
    imports: ['server/contract/errors.ts', observe, 'server/store/', 'server/drivers/apps/'],
  },
  { path: 'server/testing/', imports: [observe], types: [contract, deviceIo] },
  { path: 'server/app.ts', imports: ['server/'] },
  { path: 'server/appFacts.ts', types: ['server/'] },
  {
    path: 'server/desktopOptions.ts',
    imports: ['server/drivers/apps/', 'server/host/chromium/', observe, 'server/store/'],
    types: ['server/config/'],
  },
  {
    path: 'server/kioskAddresses.ts',
    imports: ['server/ownPages.ts', 'server/services/kiosk/'],
    types: ['server/config/', 'server/host/host.ts', 'server/services/projects/'],
  },
  {
    path: 'server/kioskScreen.ts',
    imports: ['server/services/kiosk/'],
    types: [
      'server/config/',
      'server/host/host.ts',
      'server/kioskAddresses.ts',
      observe,
      'server/services/projects/',
      'server/services/rtc/',
    ],
  },
  { path: 'server/intercom.ts', imports: ['server/'] },
  {
    path: 'server/intercomCertificate.ts',
    imports: ['server/sip/transport/', 'server/store/'],
    types: [observe],
  },
  { path: 'server/ownPages.ts', imports: ['server/'] },
  {
    path: 'server/intercomCertificate.test.ts',
    imports: ['server/intercomCertificate.ts', 'server/sip/transport/', observe],
  },
  { path: 'server/intercom.test.ts', imports: ['server/testing/'] },
  { path: 'server/intercomPeers.test.ts', imports: ['server/testing/'] },
  { path: 'server/intercomTls.test.ts', imports: ['server/testing/'] },
  // Whole intercoms without a browser, for tests here and in e2e/long.
  { path: 'server/testing/intercom/', imports: ['server/'] },
  { path: 'server/main.ts', imports: ['server/'] },
  {
    path: 'server/services/serial/testPort.ts',
    imports: [contract, observe, 'server/services/serial/', 'server/testing/'],
  },
  {
    path: 'server/services/rtc/testPanel.ts',
    imports: [contract, observe, 'server/services/rtc/', 'server/testing/'],
  },
  {
    path: 'server/services/stream/testPanel.ts',
    imports: [
      contract,
      observe,
      'server/media/',
      'server/drivers/native/',
      'server/services/stream/',
      'server/testing/',
    ],
  },
  {
    path: 'server/services/sip/testIntercom.ts',
    imports: [contract, observe, 'server/services/sip/', 'server/testing/'],
  },
  { path: 'electron/', imports: ['server/', 'preload/'], packages: ['electron'], typePackages: ['esbuild'] },
  { path: 'preload/', types: [contract], typePackages: ['esbuild'], node: false },
  {
    path: 'preload/electronPreload.ts',
    imports: ['preload/'],
    types: [contract],
    packages: ['electron'],
    node: false,
  },
  {
    path: 'preload/ownPreload.ts',
    imports: ['preload/'],
    packages: ['electron'],
    node: false,
  },
  // Pages of Faceplate's own: they run in the browser.
  { path: 'server/pages/', types: [contract], testImports: ['server/config/'], node: false },
  { path: 'renderer-demo/', types: ['preload/container.d.ts'], node: false },
  { path: 'e2e/', imports: ['server/testing/'], packages: ['@playwright/test'] },
  {
    path: 'build/',
    imports: [contract, 'server/config/', 'server/testing/'],
    packages: ['esbuild', '@playwright/test', 'electron-builder'],
  },
  {
    path: 'build/bench/',
    imports: [contract, 'server/testing/'],
    packages: ['fastify', '@playwright/test'],
  },
  // These measure parts of the service without the service.
  { path: 'build/bench/serial.ts', imports: ['build/bench/', 'server/'], packages: ['serialport'] },
  { path: 'build/bench/commands.ts', imports: ['build/bench/', 'server/'] },
  // The bench of video needs a camera, viewers, and another WebRTC stack to compare with.
  {
    path: 'build/bench/video.ts',
    imports: ['build/bench/', 'server/testing/', 'server/drivers/camera/', 'server/media/testing/'],
    packages: ['@playwright/test'],
  },
  // The bench of calls needs a far end, an intercom page, and the relay without the service.
  {
    path: 'build/bench/sip.ts',
    imports: ['build/bench/', 'server/callMedia/', 'server/observe/', 'server/testing/'],
  },
  {
    path: 'build/bench/callRelay.ts',
    imports: ['server/callMedia/', 'server/drivers/native/', 'server/media/', 'server/observe/'],
    types: ['server/services/sip/driver.ts'],
  },
  {
    path: 'build/bench/weriftProxy.ts',
    imports: ['server/media/'],
    packages: ['werift'],
  },
];
