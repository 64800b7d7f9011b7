/**
 * A module: a folder (or one file) and what its files may import. A `*` in the path means one folder name, and each such
 * folder is a separate module; braces mean a choice: `base/{,net/}*.ts`. Files of one module may always
 * import each other.
 */
export interface Rule {
  /** Path from the root: a folder ends in `/`. The longest path that fits a file is its module. */
  readonly path: string;
  /** Folders and files that may be imported. */
  readonly imports?: readonly string[];
  /** As `imports`, but by `import type` only: the object itself is passed in. */
  readonly types?: readonly string[];
  /** Further imports of the module's `*.test.ts` files, besides the `testing/` folders, which every test may use. */
  readonly testImports?: readonly string[];
  /** npm packages that have their home here. */
  readonly packages?: readonly string[];
  /** npm packages of which only the types may be used here; tests may use the whole. */
  readonly typePackages?: readonly string[];
  /** Whether Node's own modules may be used; `false` for code that also runs outside Node. */
  readonly node?: boolean;
}

/** A rule of this project. */
export interface Module extends Rule {
  /** Its content, for the table in docs/contributing.md, which is generated from these rows. */
  readonly holds: string;
}

const contract = 'server/contract/';
const errors = 'server/contract/errors.ts';
/** What every module uses; the other folders below it are separate modules. */
const platform = 'server/platform/{,files/,net/}*.ts';
const archive = 'server/platform/archive/';
const native = 'server/platform/native/';
const deviceIo = 'server/platform/native/deviceIo.ts';
const ports = 'server/intercom/ports.ts';
const partDrivers = 'server/parts/*/driver.ts';
const shared = 'server/parts/*.ts';
/** What Home Assistant shows is described in the same way for parts, cameras, calls and the window. */
const homeAssistant = 'server/parts/homeAssistant.ts';

/** npm packages that every test and test helper may use. */
export const testPackages: readonly string[] = ['fast-check', 'modbus-serial', 'werift', 'ws'];

/**
 * The import rules of the project, from the base up. docs/contributing.md has the picture. A folder
 * `testing/` needs no row: its files may use their whole area and all that the modules of that area may use.
 */
export const modules: readonly Module[] = [
  // The base of everything.
  {
    path: contract,
    holds: 'the public promise in zod: commands, events, errors, settings of the intercom. Runs anywhere',
    testImports: ['server/config/'],
    packages: ['zod'],
    node: false,
  },
  {
    path: 'server/platform/',
    holds: 'log, event bus, clock, state files, addresses, words for system errors',
    imports: [errors],
    types: [contract],
    packages: ['pino'],
    // State files are read with the contract's schemas; their tests use schemas of the tests.
    typePackages: ['zod'],
  },
  {
    path: 'server/testing/',
    holds: 'helpers that every test may use, and only tests',
    imports: [platform],
    types: [contract, deviceIo],
  },
  {
    path: 'server/platform/mdns/',
    holds: 'mDNS: a bounded socket that the intercom shares, and the announcement of the panel',
    imports: [platform],
    packages: ['bonjour-service'],
  },
  {
    path: 'server/platform/sway/',
    holds: 'the connection to sway, the compositor of an installed panel, which windows and output share',
    imports: [platform],
  },
  {
    path: 'server/config/',
    holds: 'settings, also for callers who change them; the token',
    imports: [contract, platform],
    packages: ['zod'],
  },

  // Surfaces: they translate, and hold no logic.
  {
    path: 'server/commands/',
    holds: '`dispatch.ts`, the doorway of every call; `access.ts` says who may call what',
    imports: [contract],
    types: [platform, 'server/parts/'],
  },
  {
    path: 'server/surfaces/http/',
    holds: 'Fastify: guard, routes made from the command list, event stream, uploads, project pages',
    imports: [contract, platform, 'server/commands/'],
    // The WebSocket is tested with the real service of the live screen behind it.
    testImports: ['server/kiosk/live/', 'server/kiosk/host.ts'],
    packages: ['fastify', '@fastify/static', 'ws'],
  },
  {
    path: 'server/surfaces/mqtt/',
    holds:
      'MQTT: the connection to the broker, topics of states, events and commands; the discovery of Home Assistant',
    imports: [
      contract,
      platform,
      'server/commands/',
      homeAssistant,
      'server/parts/*/homeAssistant.ts',
      'server/intercom/homeAssistant.ts',
      'server/kiosk/homeAssistant.ts',
      'server/video/homeAssistant.ts',
    ],
    types: ['server/config/', 'server/kiosk/kiosk.ts', 'server/parts/'],
    packages: ['mqtt'],
  },
  {
    path: 'server/surfaces/',
    holds: '`mqtt.ts`: MQTT as the start sees it, which loads nothing of it until there is a broker',
    types: ['server/config/', platform],
  },
  {
    path: 'server/surfaces/bridge/',
    holds: 'messages of the kiosk page and of the settings page to commands; subscriptions',
    imports: [contract],
    types: ['server/commands/', 'server/kiosk/host.ts', platform],
  },

  // What the panel does, and the hardware it does it with.
  {
    path: archive,
    holds: 'zip archives of strangers: checked names, bounded bytes, space on the disk; and writing our own',
    imports: [contract, platform],
    packages: ['yauzl', 'yazl'],
  },
  // HTTPS and SIP make the panel's own certificates in the same way.
  {
    path: 'server/platform/tls/',
    holds: "the panel's own certificates: makes and stores them",
    imports: [platform],
    packages: ['@peculiar/x509', 'reflect-metadata'],
  },
  {
    path: native,
    holds: 'system calls that Node lacks: ioctl, many datagrams at once',
    imports: [platform],
    types: ['server/webrtc/driver.ts'],
    packages: ['koffi'],
  },
  // What speaks with the services of the system.
  {
    path: 'server/platform/dbus/',
    holds: 'calls on the system bus',
    imports: [errors, platform],
    packages: ['@jellybrick/dbus-next'],
  },
  {
    path: shared,
    holds: 'what several parts share; what a part is in a board profile',
    imports: [contract, platform],
    testImports: ['server/parts/part.ts'],
    types: [deviceIo, 'server/parts/apps/'],
    packages: ['zod'],
  },
  {
    path: 'server/parts/*/',
    holds:
      'one folder for each part of the panel: `contract.ts`, `service.ts`, `driver.ts` with the simulated way and a file for each real one, `view.tsx`, tests',
    imports: [contract, platform, shared],
    types: [partDrivers, deviceIo],
    testImports: ['server/parts/', native, 'server/config/'],
  },
  {
    path: 'server/parts/*/profile*.ts',
    holds: "how the part's row of a board profile looks, and the driver that it names",
    imports: ['server/parts/*/', shared],
    types: [deviceIo],
    packages: ['zod'],
  },
  {
    path: 'server/parts/apps/',
    holds: "programs of the desktop beside the page, and packages that are signed: the panel's own are too",
    imports: [contract, platform, shared],
  },
  {
    path: 'server/parts/proximity/',
    holds: 'whether somebody is near; its sensors are read as those of the air are',
    imports: [contract, platform, shared, 'server/parts/climate/sysfs.ts'],
  },
  {
    path: 'server/parts/display/',
    holds: 'light, volume and output of the screen',
    imports: [contract, platform, shared],
    types: ['server/platform/sway/'],
  },
  {
    path: 'server/parts/network/',
    holds: 'the network: NetworkManager, or one in memory',
    imports: [contract, platform, shared, 'server/platform/dbus/'],
  },
  {
    path: 'server/parts/time/',
    holds: 'clock and time zone: timedated, or one in memory',
    imports: [contract, platform, shared, 'server/platform/dbus/'],
  },
  {
    path: 'server/parts/projects/',
    holds: 'projects: archives, versions, roll-back',
    imports: [contract, platform, shared, archive],
  },
  {
    path: 'server/parts/backup/',
    holds: 'backups: what they hold, how they come back as a whole, the reset',
    imports: [contract, platform, shared, archive],
  },
  {
    path: 'server/parts/update/',
    holds:
      'versions of Faceplate: how they come, prove themselves and go back; the channel and its window; the other slot of an image, or a signed Debian package',
    imports: [contract, platform, shared, archive, 'server/parts/apps/'],
    types: ['server/parts/messages/service.ts'],
  },
  {
    path: 'server/parts/provisioning/',
    holds: 'sets a panel up by a file on its boot partition: judges it, carries it out, all of it or nothing',
    imports: [contract, platform, 'server/parts/apps/'],
  },
  {
    path: 'server/parts/https/',
    holds: 'the certificate of HTTPS: its own or files of an administrator, renewed while the service runs',
    imports: [platform, 'server/platform/tls/'],
  },
  {
    path: 'server/parts/metrics/',
    holds: 'what was counted, as text for Prometheus',
    imports: [contract, platform],
    packages: ['prom-client'],
  },
  {
    path: 'server/parts/serial/',
    holds: 'serial ports',
    imports: [contract, platform, shared],
    types: [deviceIo],
    testImports: [native],
    packages: ['serialport'],
  },
  // Board profiles, and the drivers that one names.
  {
    path: 'server/parts/boards/',
    holds: 'board profiles: their schema, the shipped ones, and the drivers that one names',
    imports: ['server/contract/mistakes.ts', 'server/parts/', platform, native],
    packages: ['zod'],
  },
  {
    path: 'server/parts/*/part.ts',
    holds: 'what the service must know of a part: how its service is made, what it answers and reports',
    imports: [
      contract,
      platform,
      native,
      'server/platform/mdns/',
      'server/config/',
      'server/intercom/calls/',
      'server/kiosk/',
      'server/parts/',
    ],
    types: ['server/video/service.ts'],
  },
  {
    path: 'server/{video,intercom,kiosk}/part.ts',
    holds: 'the same of cameras, calls and the window',
    imports: [
      contract,
      'server/intercom/',
      'server/kiosk/',
      'server/parts/part.ts',
      platform,
      native,
      'server/video/',
      'server/webrtc/',
    ],
    types: ['server/parts/'],
  },
  {
    path: 'server/parts/part.ts',
    holds: 'what a part is, and the list of those that are up; what each part gets from the service',
    types: ['server/parts/', contract, 'server/config/', 'server/kiosk/', platform],
    typePackages: ['zod'],
  },
  {
    path: 'server/parts/index.ts',
    holds: 'the list of all parts, in the order of their start',
    imports: ['server/parts/', 'server/{video,intercom,kiosk}/part.ts'],
  },

  // Video and calls.
  {
    path: 'server/webrtc/',
    holds: 'RTP, SRTP, ICE, DTLS, offers and answers: what video and calls share',
    imports: [errors],
    testImports: [platform, 'server/platform/native/'],
    packages: ['werift'],
  },
  {
    path: 'server/video/',
    holds: 'cameras to viewers: service, sessions, one connection per camera, inspection',
    imports: [homeAssistant, contract, platform, 'server/webrtc/'],
    testImports: ['server/platform/native/'],
  },
  {
    path: 'server/video/rtsp/',
    holds: 'the RTSP client',
    imports: [errors, 'server/contract/fields.ts', platform, 'server/webrtc/'],
    types: ['server/video/'],
  },
  {
    path: 'server/video/simulatedCamera/',
    holds: 'the camera of the simulated board: a small RTSP server',
    imports: [platform, 'server/webrtc/rtp/'],
  },
  {
    path: 'server/intercom/',
    holds: '`part.ts` puts the intercom together; `ports.ts` has the interfaces between its folders',
    imports: [platform, 'server/platform/tls/', homeAssistant],
    types: [contract, 'server/config/', 'server/kiosk/host.ts', 'server/video/', 'server/webrtc/'],
    testImports: [native, 'server/parts/'],
  },
  {
    path: 'server/intercom/calls/',
    holds: 'who may call, what rings, doors, announcements, history',
    imports: [contract, platform],
    types: [ports],
  },
  {
    path: 'server/intercom/sip/',
    holds:
      'SIP: messages, transports, transactions, dialogs, registration. Reads like the RFC sections it names',
    imports: [errors, platform],
    types: [ports, 'server/platform/tls/'],
  },
  {
    path: 'server/intercom/media/',
    holds:
      'media of calls: offer and answer, RTP and SRTP of the remote party, the peer connection of the intercom page',
    imports: [errors, platform, 'server/video/', 'server/webrtc/'],
    types: [ports],
  },
  {
    path: 'server/intercom/discovery/',
    holds: 'other panels, by mDNS',
    imports: [platform, 'server/platform/mdns/'],
    types: [ports],
  },
  {
    path: 'server/intercom/door/',
    holds: 'door openers that are asked over HTTP',
    imports: [errors, platform],
    types: [ports],
  },

  // The kiosk: its window, recovery, and the settings page over it.
  {
    path: 'server/kiosk/',
    holds: 'the kiosk page: what it shows and trusts, its window as the rest of the service sees it',
    imports: [contract, platform, homeAssistant],
    types: ['server/config/', 'server/parts/', 'server/platform/sway/'],
    testImports: ['server/surfaces/bridge/', 'server/commands/'],
    packages: ['uqr'],
  },
  {
    path: 'server/kiosk/recovery/',
    holds:
      'what brings the page back: hung, dead, too large or unreachable pages; what the page does and says',
    imports: [platform, 'server/kiosk/*.ts'],
    types: [contract, 'server/config/'],
  },
  {
    path: 'server/kiosk/x11/',
    holds: 'layers above the kiosk page on an X server: their place, order and keys',
    imports: [platform, 'server/kiosk/windowStack.ts'],
    types: [contract, 'server/kiosk/*.ts'],
    packages: ['x11'],
  },
  {
    path: 'server/kiosk/settingsPage/',
    holds: 'the service of the settings page: PIN, lock, facts, what could be shown',
    imports: [contract, platform, 'server/platform/mdns/'],
    types: ['server/kiosk/recovery/'],
  },
  {
    path: 'server/kiosk/glass/',
    holds: 'what lies on the glass above the page: messages, dialogs, notes, savers, in one layer',
    imports: [errors, platform],
    types: [contract, 'server/kiosk/host.ts'],
  },
  {
    path: 'server/kiosk/saver/',
    holds: 'the saver: which one, and the photos for it, from a folder or from addresses',
    types: [contract, platform],
  },
  {
    path: 'server/kiosk/live/',
    holds: 'the live screen: its viewers, their pictures and their finger',
    imports: [contract],
    types: ['server/kiosk/host.ts', platform],
  },
  {
    path: 'server/kiosk/keyboard/',
    holds: 'the keyboard on the screen: when it opens, what its keys do',
    types: ['server/kiosk/host.ts', platform],
  },
  {
    path: 'server/kiosk/chromium/',
    holds: "the window in the system's Chromium, over its debugging pipe: `process`, `windows`, `guards`",
    imports: [contract, platform, 'preload/', 'server/kiosk/*.ts', 'server/kiosk/recovery/'],
    // Trust in certificates is shown with the real service behind the real browser.
    testImports: ['server/parts/certificates/', 'server/parts/certificates/'],
  },
  {
    path: 'server/kiosk/sway/',
    holds: "the order of the browser's windows where the compositor is sway",
    imports: [platform, 'server/kiosk/windowStack.ts'],
    types: ['server/kiosk/builtInPageContract.ts', 'server/kiosk/host.ts', 'server/platform/sway/'],
  },
  // Built-in pages: they run in the browser.
  {
    path: 'server/pages/',
    holds: 'built-in pages, one folder each; they run in the browser',
    types: [contract],
    testImports: ['server/config/'],
    node: false,
  },
  {
    path: 'server/pages/manage/',
    holds: 'the app behind /manage/ and behind the PIN: views in TSX, bundled by `build/bundle/manageApp.ts`',
    imports: [
      'server/parts/*/words.ts',
      'server/*/words.ts',
      'server/config/settingWords.ts',
      'server/parts/approval/commandWords.generated.ts',
    ],
    types: [contract],
    packages: ['preact', 'uqr'],
    node: false,
  },

  {
    path: 'server/pages/keys/',
    holds: 'the page of the keyboard on the screen, bundled by `build/bundle/layerPage.ts`',
    types: [contract],
    packages: ['simple-keyboard'],
    node: false,
  },

  // Programs, and the one place that knows every part.
  {
    path: 'server/programs/helper/',
    holds: 'the root helper of the Debian package: it checks each request itself',
    imports: [errors, platform, 'server/parts/apps/', 'server/parts/update/'],
  },
  {
    path: 'server/programs/starter/',
    holds:
      'the starter of the Debian package: runs the browser, desktop programs and decoders as the user of the kiosk',
    imports: [errors, platform, 'server/parts/apps/', 'server/parts/sound/', 'server/kiosk/chromium/'],
  },
  {
    path: 'server/programs/safeStop/',
    holds: 'makes the outputs safe after the service has ended, also when it was killed; loads little',
    imports: [platform, 'server/parts/gpio/', 'server/platform/native/'],
  },
  {
    path: 'server/programs/probe/',
    holds:
      'the program that lists the hardware of a machine and writes a first board profile; it changes nothing',
    imports: [platform, 'server/parts/gpio/', 'server/platform/native/'],
    testImports: ['server/parts/boards/'],
  },
  {
    path: 'server/start/',
    holds: 'the steps of the start: the one place that knows every part',
    imports: [
      contract,
      'server/commands/',
      'server/config/',
      'server/parts/',
      'server/intercom/',
      'server/kiosk/',
      'server/platform/mdns/',
      platform,
      'server/surfaces/',
      'server/platform/sway/',
    ],
  },
  {
    path: 'server/app.ts',
    holds: 'the whole service: its start, step by step, and its stop',
    imports: ['server/start/', 'server/config/', platform],
    types: ['server/kiosk/host.ts', 'server/parts/'],
  },
  {
    path: 'server/program.ts',
    holds:
      'the program around the service, for Node and for Electron: command line, signals, systemd, its end',
    imports: [native, 'server/platform/systemd/', 'server/app.ts', 'server/config/', platform],
    types: ['server/kiosk/host.ts'],
  },
  {
    path: 'server/service.ts',
    holds: 'the program in Node',
    imports: ['server/program.ts', 'server/kiosk/'],
  },
  {
    path: 'server/main.ts',
    holds: 'what Node runs: the browser starts, and then the program is loaded from its sources',
    imports: ['server/service.ts', 'server/start/browserAhead.ts'],
  },
  {
    path: 'server/bundledMain.ts',
    holds: 'the same for a bundle: the program is one script',
    imports: ['server/start/browserAhead.ts', platform],
    types: ['server/service.ts'],
  },
  {
    path: 'electron/',
    holds: "the same app with Electron's window instead of Chromium",
    imports: [contract, 'server/program.ts', 'server/config/', 'server/kiosk/', platform, 'preload/'],
    testImports: ['server/surfaces/bridge/'],
    packages: ['electron'],
    typePackages: ['esbuild'],
  },
  {
    path: 'preload/',
    holds: 'the scripts that build `window.container` and its camera player. No Node, no logic of the panel',
    types: [contract],
    typePackages: ['esbuild'],
    node: false,
  },
  // The two scripts that Electron loads, and what brings the others into the page's own world.
  {
    path: 'preload/mainWorld.ts',
    holds: "what runs scripts in the page's own world, in any Electron",
    packages: ['electron'],
    node: false,
  },
  {
    path: 'preload/*Preload.ts',
    holds: 'the two scripts that Electron loads',
    imports: ['preload/'],
    types: [contract],
    packages: ['electron'],
    node: false,
  },
  {
    path: 'client/',
    holds: 'the client for Node and the browser: fetch and event streams, with types made from openapi.json',
    node: false,
  },
  {
    path: 'client/cli/',
    holds: 'the command line: one file for each word of it',
    imports: ['client/'],
    packages: ['yazl'],
  },
  {
    path: 'renderer-demo/',
    holds: 'the demo page, made to be copied',
    types: ['preload/container.d.ts'],
    node: false,
  },
  {
    path: 'e2e/',
    holds: 'tests as a user would do it, from outside',
    imports: [
      'server/testing/',
      'server/intercom/testing/',
      'server/surfaces/mqtt/testing/',
      'server/video/testing/',
      'client/testing/',
      'build/bundle/pageBundle.ts',
      'build/bundle/manageApp.ts',
      'build/image/',
      'build/panel/',
      'build/testing/',
      'build/packages/updateKeys.ts',
    ],
    types: [contract],
    // Panels that are played on a broker.
    packages: ['@playwright/test', '@axe-core/playwright', 'mqtt'],
  },
  {
    path: 'e2e/players/',
    holds: 'players of cameras that others wrote, for pages of tests',
    packages: ['@eyevinn/webrtc-player', 'whip-whep'],
    node: false,
  },
  {
    path: 'e2e/clients/',
    holds: 'programs in browsers that use our client, for pages of tests',
    imports: ['client/'],
    node: false,
  },
  {
    path: 'e2e/sweep/',
    holds: 'mutations for every reader of bytes from outside, and floods against the running service',
    imports: [
      'server/config/',
      contract,
      'server/intercom/media/',
      'server/intercom/sip/',
      'server/platform/mdns/',
      'server/platform/net/digest.ts',
      archive,
      'server/surfaces/bridge/',
      'server/testing/',
      'server/video/testing/',
      'server/video/',
      'server/webrtc/',
    ],
    // The service decodes mDNS packets with it.
    packages: ['bonjour-service'],
  },
  {
    path: 'e2e/bare/',
    holds: 'the same with no debugger attached: keys and touches of a real screen, beside plain Chromium',
    imports: [
      'server/kiosk/chromium/process/',
      'server/kiosk/testing/',
      'server/platform/privileges.ts',
      'server/testing/',
    ],
  },
  {
    path: 'build/',
    holds: 'set-up, checks, bundles',
    imports: [
      'server/parts/boards/',
      'server/parts/update/oldestVersion.ts',
      contract,
      'server/config/',
      'server/testing/',
      'e2e/bare/',
    ],
    packages: ['esbuild', '@playwright/test', 'electron-builder'],
  },
  {
    path: 'build/setup/electron/shim/',
    holds: "what stands for Electron's default app in the Electron of the tests",
    packages: ['electron'],
  },
  {
    path: 'build/docs/',
    holds:
      'the documentation as a site, and the list of calls in it; its tests run the command lines of the guides',
    imports: [
      // Its page about cameras is made from the cases that the tests play.
      'server/video/testing/fieldCameras/',
      contract,
    ],
    packages: ['esbuild', 'markdown-it'],
  },
  // The search runs in the reader's browser.
  {
    path: 'build/docs/browser/',
    holds: 'what runs in the browser of the reader: search and style',
    packages: ['minisearch'],
    node: false,
  },
  {
    path: 'build/soak/',
    holds: 'hours of work for a panel, and what it takes of memory, files and disk meanwhile',
    imports: ['server/testing/', 'server/video/testing/', 'build/', 'client/', 'e2e/sweep/'],
  },
  // Benches also measure parts of the service without the service.
  {
    path: 'build/bench/',
    holds: 'benches; they also measure parts of the service without the service',
    imports: [
      native,
      contract,
      'server/intercom/',
      platform,
      'server/testing/',
      'server/kiosk/testing/',
      'server/intercom/testing/',
      'server/video/testing/',
      'server/video/',
      'server/webrtc/',
      'e2e/bare/',
      'e2e/glassPicture.ts',
      'e2e/virtualPanel.ts',
    ],
    packages: ['fastify', '@playwright/test', 'mqtt', 'electron'],
  },
];
