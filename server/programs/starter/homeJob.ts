import { realpath, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import { memoryProfile } from '../../kiosk/chromium/process/profile.ts';
import { planAppImage } from '../../parts/apps/desktop/appImage.ts';
import { applicationFolders, homeFolders, sessionEnvironment } from '../../parts/apps/desktop/environment.ts';
import { findApplications } from '../../parts/apps/desktop/find.ts';
import { Flatpak } from '../../parts/apps/desktop/flatpak.ts';
import { Launcher } from '../../parts/apps/desktop/launch.ts';
import { UserFiles } from '../../parts/apps/desktop/userFiles.ts';
import { isBelow } from '../../parts/apps/packageFile.ts';
import type { KioskJob } from '../../platform/kioskJobs.ts';
import { memoryOf } from '../../platform/processes.ts';
import type { JobOptions } from './jobRequest.ts';
import { BUNDLE, modeOf } from './jobRequest.ts';
import { becomeBrowser, endUnit, endUnitsWith, processesOfUnit } from './kioskBrowser.ts';

/** Does a job on the session and the home of the kiosk's user. Everything is checked here: an attacker may control the service. */
export async function doHomeJob(
  job: Exclude<KioskJob, { job: 'decode' }>,
  options: JobOptions,
): Promise<void> {
  const { answer, env, socket } = options;
  const session = sessionEnvironment(env, undefined);
  const { home } = homeFolders(session);
  const files = new UserFiles(undefined);
  switch (job.job) {
    case 'browser':
      return becomeBrowser(job, env, answer);
    case 'end':
      await endUnit(job.pid);
      return answer({});
    case 'memory':
      return answer({ bytes: await memoryOf(await processesOfUnit(job.pid)) });
    case 'launch':
      return launch(job.packageName, session, options);
    case 'write': {
      const mode = modeOf(job.path, home);
      if (mode === undefined) throw new FaceplateError('FORBIDDEN', 'Nothing may be written there.');
      answer({});
      await files.receive(socket, job.path, mode, job.size);
      return answer({});
    }
    case 'entry': {
      const plan = await planAppImage(join(home, 'Applications', `${job.name}.AppImage`), session);
      await files.writeText(plan.entryText, plan.entryFile);
      return answer({});
    }
    case 'remove':
      await mustBeRemovable(job.path, home);
      await files.remove(job.path);
      return answer({});
    case 'forget':
      for (const folder of [join(home, 'chromium'), memoryProfile(join(home, 'chromium'), undefined, env)]) {
        // A browser that an earlier service left behind would write it again.
        await endUnitsWith(`--user-data-dir=${folder}`);
        await rm(folder, { recursive: true, force: true });
      }
      return answer({});
    case 'flatpak-install':
      await new Flatpak(session, undefined).install(join(home, BUNDLE));
      return answer({});
    case 'flatpak-uninstall':
      await new Flatpak(session, undefined).uninstall(job.id, 'user');
      return answer({});
  }
}

/** Watches a program until its end, or ends it when the service closes the connection. */
async function launch(
  packageName: string,
  session: NodeJS.ProcessEnv,
  { socket, answer, log }: JobOptions,
): Promise<void> {
  const application = (await findApplications(applicationFolders(session), session)).get(packageName);
  if (application === undefined)
    throw new FaceplateError('PACKAGE_NOT_FOUND', `No package is called ${packageName}.`);
  const launcher = new Launcher({ session, user: undefined, log: await log() });
  launcher.start();
  const ended = Promise.withResolvers<void>();
  await launcher.launch(application, ended.resolve);
  answer({});
  const line = new Socket({ fd: socket });
  line.on('close', ended.resolve).on('end', ended.resolve).on('error', ended.resolve).resume();
  await ended.promise;
  await launcher.stop();
}

/** @throws FaceplateError FORBIDDEN: only entries and AppImages of the home are removed, and the bundle */
async function mustBeRemovable(path: string, home: string): Promise<void> {
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  const isInHome = isBelow(`${folder}/`, await realpath(home));
  if (!isInHome || !/\.(desktop|appimage|flatpak)$/i.test(path))
    throw new FaceplateError('FORBIDDEN', 'Nothing may be removed there.');
}
