import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { ScriptedCamera, usualReply } from '../../server/testing/scriptedCamera.ts';
import { selfSigned } from '../../server/testing/selfSigned.ts';
import { zipFile } from '../../server/testing/zipFile.ts';
import { type Api, apiOf } from '../api.ts';
import { demoIsReady, expect, test } from '../fixtures.ts';
import { openSetting, openView } from '../manageViews.ts';
import { answer, openNewSettings } from '../settingsPage.ts';

const DOOR = { name: 'Front door', peer: '192.168.1.9', dtmf: '#4711' };

test('should let a technician do all steps on the panel itself', async ({ startFaceplate, openDemo }) => {
  // Many steps, which are slow on a busy machine.
  test.slow();
  const service = await startFaceplate({ kiosk: true });
  const api = await apiOf(service);
  const page = await openDemo(service);
  const settings = await openNewSettings(page);

  await test.step('projects', () => useProjects(settings, page, api));
  await test.step('certificates', () => useCertificates(settings, api));
  await test.step('settings', async () => {
    await changeLiveSetting(settings, api);
    await writeDoors(settings);
    const written = JSON.parse(await readFile(join(service.dataDir, 'settings.json'), 'utf8'));
    expect(written).toMatchObject({ sip: { port: 5070, transport: 'tls', doors: [DOOR] } });
  });
  await test.step('restart', async () => {
    const told = 'power: restart of the panel requested';
    await expect(settings.getByTestId('restart-needed')).toContainText(
      'Port of SIP, Transport to the telephone system, Doors',
    );
    await settings.getByTestId('restart-now').click();
    await settings.getByTestId('restart-cancel').click();
    await openView(settings, 'home');
    await settings.getByTestId('quick-restart').click();
    expect(service.output).not.toContain(told);
    await settings.getByTestId('reboot').click();
    await expect(settings.getByTestId('notice')).toHaveText('The panel restarts.');
    await expect.poll(() => service.output).toContain(told);
  });
  expect(service.output).not.toContain(DOOR.dtmf);
});

async function useProjects(settings: Page, page: Page, api: Api): Promise<void> {
  const install = async (text: string) => {
    const archive = zipFile([{ name: 'index.html', content: `<h1>${text}</h1>` }]);
    const headers = {
      authorization: `Bearer ${await tokenOf(settings)}`,
      'content-type': 'application/zip',
    };
    const init = { method: 'POST', headers, body: new Uint8Array(archive) };
    expect((await api('/api/manage/projects?name=Lobby', undefined, init)).status).toBe(200);
    await openView(settings, 'content/projects');
  };
  const project = settings.getByTestId('project-lobby');
  const press = (name: string) => project.getByRole('button', { name }).click();
  const choose = async (name: RegExp) => {
    await settings.getByTestId('project-menu-lobby').click();
    await project.getByRole('menuitem', { name }).click();
  };

  await openView(settings, 'content/projects');
  await expect(settings.getByTestId('projects')).toContainText('No project');
  await install('one');
  await press('Show');
  await expect(project).toContainText('Live');
  await expect(page.locator('h1')).toHaveText('one');
  const first = await project.textContent();
  await install('two');
  await expect(project).not.toHaveText(first ?? '');
  await expect(page.locator('h1')).toHaveText('two');
  await choose(/^Back to the version of/);
  await answer(settings, 'yes');
  await expect(project).toHaveText(first ?? '');
  await expect(page.locator('h1')).toHaveText('one');
  await settings.getByTestId('project-menu-lobby').click();
  await expect(project.getByRole('menuitem', { name: 'Previous version' })).toBeDisabled();
  await settings.keyboard.press('Escape');
  await choose(/^Remove/);
  await answer(settings, 'no');
  await expect(project).toContainText('Live');
  await choose(/^Remove/);
  await answer(settings, 'yes');
  await expect(project).toHaveCount(0);
  await demoIsReady(page);
}

async function tokenOf(settings: Page): Promise<string> {
  await openView(settings, 'people');
  await settings.getByTestId('show-token').click();
  await expect(settings.getByTestId('token')).toHaveText(/^[\w-]{43}$/);
  return (await settings.getByTestId('token').textContent()) ?? '';
}

async function useCertificates(settings: Page, api: Api): Promise<void> {
  const pair = selfSigned();
  const camera = new ScriptedCamera(usualReply, pair);
  await camera.start();
  try {
    const query = new URLSearchParams({ url: camera.url() });
    const verdict = async () => (await api(`/api/stream/inspect?${query}`)).body.code;
    const certificate = settings.getByTestId(`certificate-127.0.0.1:${camera.port}`);
    expect(await verdict()).toBe('CAMERA_TLS');
    await openView(settings, 'people');
    await expect(certificate).toContainText('refused');
    await expect(certificate).toContainText(pair.fingerprint);
    await certificate.getByRole('button', { name: 'Trust' }).click();
    await expect(settings.getByTestId('question')).toContainText(pair.fingerprint);
    await answer(settings, 'no');
    await expect(certificate).toContainText('refused');
    await certificate.getByRole('button', { name: 'Trust' }).click();
    await answer(settings, 'yes');
    await expect(certificate).toContainText('trusted');
    expect(await verdict()).not.toBe('CAMERA_TLS');
    expect(camera.requests).not.toEqual([]);
    await certificate.getByRole('button', { name: 'Forget' }).click();
    await expect(certificate).toHaveCount(0);
    expect(await verdict()).toBe('CAMERA_TLS');
  } finally {
    await camera.stop();
  }
}

async function changeLiveSetting(settings: Page, api: Api): Promise<void> {
  const run = async () => (await api('/api/remote/terminal/exec', { command: 'true' })).status;
  expect(await run()).toBe(200);
  await openSetting(settings, 'terminal.enabled');
  await settings.getByTestId('setting-terminal.enabled').getByRole('switch').click();
  await expect(settings.getByTestId('notice')).toHaveText('Saved.');
  await expect(settings.getByTestId('restart-needed')).toBeHidden();
  expect(await run()).toBe(403);
}

/** Numbers, a choice, and a secret list, which is never shown again. */
async function writeDoors(settings: Page): Promise<void> {
  const field = settings.getByTestId('editor-field');
  const mistake = settings.getByTestId('editor-mistake');
  const open = (key: string) => settings.getByTestId(`value-${key}`).click();
  const save = (text: string) => field.fill(text).then(() => settings.getByTestId('editor-save').click());

  await openSetting(settings, 'sip.port');
  await open('sip.port');
  await save('65536');
  await expect(mistake).toHaveText(/65535/);
  await save('5070');
  await expect(settings.getByTestId('editor')).toHaveCount(0);
  await settings.getByTestId('setting-sip.transport').getByRole('combobox').selectOption({ label: 'TLS' });
  await expect(settings.getByTestId('restart-needed')).toContainText(
    'Port of SIP, Transport to the telephone system',
  );

  await open('sip.doors');
  const part = (name: string) => settings.getByTestId(`editor-field-${name}`);
  await part('add').click();
  await part('0-name').fill(DOOR.name);
  await part('0-peer').fill('the house');
  await part('0-dtmf').fill(DOOR.dtmf);
  await settings.getByTestId('editor-save').click();
  await expect(mistake).toHaveText(/^must be an IP address, or an extension/);
  await expect(part('0-peer')).toHaveAttribute('aria-invalid', 'true');
  await part('0-peer').fill(DOOR.peer);
  await settings.getByTestId('editor-save').click();
  await expect(settings.getByTestId('editor')).toHaveCount(0);
  await expect(settings.getByTestId('value-sip.doors')).toHaveText('set');
  await open('sip.doors');
  await expect(part('0-edit')).toHaveCount(0);
  await settings.getByTestId('editor-cancel').click();
  expect(await settings.content()).not.toContain(DOOR.dtmf);

  // A secret that the page makes is shown once.
  await open('sip.panelSecret');
  await settings.getByTestId('editor-make').click();
  const made = await field.inputValue();
  expect(made).toMatch(/^(?:[a-z2-9]{4}-){5}[a-z2-9]{4}$/);
  await expect(field).toHaveAttribute('type', 'text');
  await settings.getByTestId('editor-make').click();
  expect(await field.inputValue()).not.toBe(made);
  await settings.getByTestId('editor-save').click();
  await expect(settings.getByTestId('editor')).toHaveCount(0);
  await expect(settings.getByTestId('value-sip.panelSecret')).toHaveText('set');
  await open('sip.panelSecret');
  await expect(field).toHaveValue('');
  await expect(field).toHaveAttribute('type', 'password');
  await settings.getByTestId('editor-cancel').click();
}
