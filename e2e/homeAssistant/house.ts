import { readFileSync, writeFileSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { Mosquitto } from '../../server/testing/mosquitto.ts';
import { freeSipPort } from '../../server/testing/sip/ports.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { type ZipEntry, zipFile } from '../../server/testing/zipFile.ts';
import { type Api, apiOf } from '../api.ts';
import { kioskService } from '../kioskService.ts';
import { TestSite } from '../peers/testSite.ts';
import { installHomeAssistant } from './install.ts';
import { type EntityState, HomeAssistantServer } from './server.ts';

const docs = join(import.meta.dirname, '../../docs');
const USERS = { homeassistant: 'ha-secret', panels: 'panel-secret' };

/** A device with its entities, as Home Assistant registered them. */
interface RegisteredEntity {
  readonly entity_id: string;
  readonly unique_id: string;
  readonly platform: string;
  readonly device_id: string;
}

/** A house as the guide builds it: a broker with passwords, Home Assistant with the automations of the guide and of the recipes, a panel. */
export class House {
  readonly #dataDir: string;
  readonly #sipPort: number;
  readonly site: TestSite;
  readonly broker: Mosquitto;
  readonly server: HomeAssistantServer;
  panel!: FaceplateProcess;
  api!: Api;

  private constructor(
    parts: Pick<House, 'site' | 'broker' | 'server'>,
    { dataDir, sipPort }: { dataDir: string; sipPort: number },
  ) {
    this.site = parts.site;
    this.broker = parts.broker;
    this.server = parts.server;
    this.#dataDir = dataDir;
    this.#sipPort = sipPort;
  }

  /** Starts all three. @param say progress of the installation */
  static async start(say: (line: string) => void): Promise<House> {
    const installed = await installHomeAssistant(say);
    const page = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>`;
    const site = new TestSite({ '/weather': page('Weather'), '/news': page('News') });
    await site.start();
    const broker = await Mosquitto.start({
      users: USERS,
      conf: ['persistence true', 'persistence_location <folder>/', 'autosave_interval 1'],
    });
    const server = new HomeAssistantServer(installed);
    const dataDir = temporaryFolder('house');
    await chmod(dataDir, 0o711);
    const house = new House({ site, broker, server }, { dataDir, sipPort: await freeSipPort() });
    try {
      const login = { username: 'homeassistant', password: USERS.homeassistant };
      await server.setUp({ port: broker.port, ...login }, automationsOfDocs());
      house.#writeSettings();
      await house.startPanel();
    } catch (error) {
      await house.stop();
      throw error;
    }
    return house;
  }

  async startPanel(): Promise<void> {
    this.panel = kioskService({ kiosk: true, dataDir: this.#dataDir });
    await this.panel.start();
    this.api = await apiOf(this.panel);
  }

  async stop(): Promise<void> {
    await this.panel?.stop();
    await this.server.remove();
    await this.broker.stop();
    await this.site.stop();
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  /** Changes settings of the panel. */
  async settings(tree: object): Promise<void> {
    const { status, body } = await this.api('/api/manage/settings', tree, {
      method: 'PATCH',
      body: JSON.stringify(tree),
    });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }

  /** Installs a project and shows it. */
  async show(name: string, files: readonly ZipEntry[]): Promise<void> {
    const headers = {
      authorization: `Bearer ${await this.panel.token()}`,
      'content-type': 'application/zip',
    };
    const init = { method: 'POST', body: new Uint8Array(zipFile(files)), headers };
    const installed = await this.api(`/api/manage/projects?name=${name}`, undefined, init);
    if (installed.status !== 200) throw new Error(JSON.stringify(installed.body));
    await this.api(`/api/manage/projects/${name}/activate`, {});
  }

  /** The state of an entity of the panel, by its key: `unknown entity` where there is none. */
  async state(key: string): Promise<string> {
    return (await this.entity(key))?.state ?? 'unknown entity';
  }

  /** An entity of the panel with its attributes, by its key. */
  async entity(key: string): Promise<EntityState | undefined> {
    const entity = (await this.entities()).find(({ unique_id }) => unique_id === `faceplate_hall_${key}`);
    return entity && this.server.state(entity.entity_id);
  }

  /** Calls an action of Home Assistant on an entity of the panel, by its key. */
  async act(action: string, key: string, data: object = {}): Promise<void> {
    const entity = (await this.entities()).find(({ unique_id }) => unique_id === `faceplate_hall_${key}`);
    if (entity === undefined) throw new Error(`Home Assistant has no entity ${key}`);
    await this.server.act(action, entity.entity_id, data);
  }

  /** All entities of the panel that Home Assistant knows, also those that are gone from the broker. */
  async entities(): Promise<RegisteredEntity[]> {
    const all = await this.server.ask<RegisteredEntity[]>('config/entity_registry/list');
    return all.filter(({ unique_id }) => String(unique_id).startsWith('faceplate_'));
  }

  /** The panels that Home Assistant knows. */
  async devices(): Promise<{ id: string; name: string }[]> {
    const all = await this.server.ask<{ id: string; name: string; identifiers: string[][] }[]>(
      'config/device_registry/list',
    );
    return all.filter(({ identifiers }) => identifiers.some((each) => each[1]?.startsWith('faceplate_')));
  }

  #writeSettings(): void {
    const pages = ['weather', 'news'].map((path) => ({
      name: path === 'news' ? 'News' : 'Weather',
      url: `${this.site.origin()}/${path}`,
    }));
    const settings = {
      device: { name: 'Hall', language: 'en' },
      kiosk: { pages },
      mqtt: {
        url: this.broker.url,
        username: 'panels',
        password: USERS.panels,
        id: 'hall',
        scopes: ['view', 'control', 'manage', 'doors'],
      },
      sip: {
        enabled: true,
        port: this.#sipPort,
        discovery: false,
        host: '127.0.0.1',
        allow: ['127.0.0.1'],
        discoveryInterface: '127.0.0.1',
        doors: [{ name: 'Front', peer: '127.0.0.1', dtmf: '1' }],
      },
    };
    writeFileSync(join(this.#dataDir, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
  }
}

/** What the guide and the recipes give to copy, as one automations.yaml. */
function automationsOfDocs(): string {
  const blocks = ['home-assistant.md', 'recipes.md'].flatMap((page) => [
    ...readFileSync(join(docs, page), 'utf8').matchAll(
      /^```yaml\n(?:# automations\.yaml\n)?((?:- id|- alias|alias):[\s\S]*?)^```$/gm,
    ),
  ]);
  // One automation, as the editor takes it, is an entry of the list here.
  return blocks
    .map(([, yaml = '']) => (yaml.startsWith('- ') ? yaml : `- ${yaml.replaceAll(/\n(?=.)/g, '\n  ')}`))
    .join('');
}
