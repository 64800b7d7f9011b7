import { readdir, readFile, stat } from 'node:fs/promises';
import module from 'node:module';
import { join, normalize, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FaceplateError } from '../../contract/errors.ts';
import { isLoopback } from '../../platform/net/addresses.ts';
import { hostName, projectIdOf } from './guard.ts';

/** A picture of a built-in page. Its type comes from its content. */
interface OwnPicture {
  readonly type: string;
  /** In bytes. */
  readonly length: number;
  readonly body: Readable | Buffer;
}

/** The project pages this server shows. */
export interface ProjectPages {
  /** Folder of a project, or undefined when no project has the id. */
  folderOf(id: string): string | undefined;
  /** Whether its TypeScript modules are sent without their types; in other projects `.ts` is a piece of video. */
  hasTypeScript(id: string): boolean;
  /**
   * Whether the page is Faceplate's own and not a project: no other page may frame it, and it may load only its own
   * files.
   */
  isOwn(id: string): boolean;
  /**
   * A picture that a built-in page has beside its files; undefined when there is none by this name.
   * @param path within the page's origin
   */
  pictureOf(id: string, path: string): Promise<OwnPicture | undefined>;
  /** Folder of the app that the panel's own names show at /manage/. */
  readonly manage: string;
}

/**
 * Serves our own app at /manage/ to everybody, and each project at the root of its own origin
 * `http://<id>.localhost:<port>/` to this machine only. The demo
 * uses TypeScript modules: their types are removed on the way (`?source` sends them as they are).
 */
export async function addProjectPages(server: FastifyInstance, pages: ProjectPages): Promise<void> {
  await server.register(fastifyStatic, {
    root: import.meta.dirname,
    serve: false,
    cacheControl: false,
    // Without its final slash a folder's relative links would lead nowhere.
    redirect: true,
  });
  server.get('/*', { config: { access: { http: 'open' } } }, async (request, reply) => {
    const id = projectIdOf(hostName(request.headers.host ?? ''));
    const asked = (request.params as { '*': string })['*'];
    reply.headers({
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      // For every file that can be sent compressed, also when it is not sent at all (304): RFC 9110 section 15.4.5.
      vary: [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', '),
    });
    if (id === undefined) return sendOwnPage(request, reply, { path: asked, folder: pages.manage });
    const folder = projectFolder(request, id, pages);
    const path = asked === '' || asked.endsWith('/') ? `${asked}index.html` : asked;
    // No other origin may read it either, not even the active project's.
    if (pages.isOwn(id)) {
      reply.removeHeader('access-control-allow-origin').headers(ownHeaders(id));
      const picture = request.method === 'GET' ? await pages.pictureOf(id, path) : undefined;
      if (picture !== undefined) return sendPicture(reply, picture);
    }
    if (!pages.isOwn(id) && (await isPlaceOfApp(request, folder, { asked, path }))) {
      reply.header('vary', `${reply.getHeader('vary')}, sec-fetch-mode`);
      return reply.sendFile('index.html', folder);
    }
    if (path.endsWith('.ts') && pages.hasTypeScript(id))
      return sendModule(reply, folder, path, request.query as Record<string, string>);
    return reply.sendFile(await spelledOnDisk(folder, path), folder);
  });
}

function projectFolder(request: FastifyRequest, id: string, pages: ProjectPages): string {
  const folder = pages.folderOf(id);
  if (folder === undefined) throw new FaceplateError('NOT_FOUND');
  if (!isLoopback(request.socket.remoteAddress ?? '')) {
    throw new FaceplateError('FORBIDDEN', 'Pages of projects are shown only on the panel itself.');
  }
  return folder;
}

/**
 * Whether a browser goes to a place that a single-page app makes by itself, as `/rooms/2`: its index.html is sent for it.
 * @param asked the path in the address, and `path` that of the file that would be sent
 */
async function isPlaceOfApp(
  { headers }: FastifyRequest,
  folder: string,
  { asked, path }: { readonly asked: string; readonly path: string },
): Promise<boolean> {
  if (headers['sec-fetch-mode'] !== 'navigate') return false;
  const parts = asked.split('/');
  // Names with a dot are files; those of dots alone lead elsewhere.
  if (parts.at(-1)!.includes('.') || parts.some((part) => /^\.{1,2}$|[\0\\]/.test(part))) return false;
  return !(await exists(join(folder, await spelledOnDisk(folder, path))));
}

/** It is the next one each time, so no cache may store it. */
function sendPicture(reply: FastifyReply, { type, length, body }: OwnPicture): FastifyReply {
  return reply.type(type).headers({ 'content-length': length, 'cache-control': 'no-store' }).send(body);
}

async function sendModule(
  reply: FastifyReply,
  folder: string,
  path: string,
  query: Record<string, string>,
): Promise<FastifyReply> {
  const file = resolve(folder, normalize(path));
  if (!file.startsWith(folder + sep)) throw new FaceplateError('NOT_FOUND');
  const source = () =>
    readFile(file, 'utf8').catch(() => {
      throw new FaceplateError('NOT_FOUND');
    });
  if ('source' in query) return reply.type('text/plain; charset=utf-8').send(await source());
  // The bundle has each module without its types as well.
  const stripped = await readFile(`${file}.js`, 'utf8').catch(() => undefined);
  // Missing in Node 20, as in Electron 33 and 34, which run the bundle only.
  const { stripTypeScriptTypes } = module as Partial<typeof module>;
  const text = stripped ?? stripTypeScriptTypes?.(await source());
  if (text === undefined) throw new FaceplateError('NOT_FOUND');
  return reply.type('text/javascript; charset=utf-8').send(text);
}

/** Of every page of ours: its own files only, and no other page may frame it. */
const OWN_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

const APP = 'manage/';
/** A file of the app, which is there for callers too. */
const DESCRIPTION = 'openapi.json';
/** A file with a hash in its name is another file once its content is another. */
const HASHED = /-[A-Z0-9]{8}\.(?:js|css|woff2)$/;
const FOREVER = 'public, max-age=31536000, immutable';

/** @param id of a built-in page: the saver on the glass shows pages of others in a frame. */
function ownHeaders(id: string): Readonly<Record<string, string>> {
  if (id !== 'glass') return OWN_HEADERS;
  return {
    ...OWN_HEADERS,
    'content-security-policy': `${OWN_HEADERS['content-security-policy']}; frame-src http: https:`,
  };
}

/**
 * What the panel's own names show without a token: the app at /manage/, the description of the API, and both paths at /api. A browser that opens the bare
 * address is led there, anybody else learns that there is nothing.
 * @param path without its first slash
 * @throws FaceplateError NOT_FOUND
 */
function sendOwnPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, folder }: { readonly path: string; readonly folder: string },
): FastifyReply {
  if ((path === '' && wantsPage(request)) || path === 'manage') {
    reply.header('vary', [reply.getHeader('vary'), 'accept'].filter(Boolean).join(', '));
    return reply.redirect(`/${APP}`, 302);
  }
  // Any page may read them: they are the same on every panel of this version.
  if (path === 'api') return reply.send({ openapi: `/${DESCRIPTION}`, manage: `/${APP}` });
  if (path === DESCRIPTION) return reply.sendFile(DESCRIPTION, folder);
  if (!path.startsWith(APP)) throw new FaceplateError('NOT_FOUND');
  const file = path.slice(APP.length) || 'index.html';
  // No other origin may read it, whatever else it may call.
  reply.removeHeader('access-control-allow-origin').headers(OWN_HEADERS);
  if (HASHED.test(file)) reply.header('cache-control', FOREVER);
  return reply.sendFile(file, folder);
}

function wantsPage({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '');
}

/**
 * The path of a file as it is spelled on disk, for pages made on Windows, where `Logo.PNG` and `logo.png` are one file.
 * Archives with two names that differ only in case are not installed, so there is at most one answer.
 * @param path below `folder`, with `/` between names
 * @returns the path itself when it exists or nothing fits better
 */
async function spelledOnDisk(folder: string, path: string): Promise<string> {
  const parts = path.split('/');
  // The file server refuses names that do not point to a file below the folder.
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))) return path;
  if (await exists(join(folder, path))) return path;
  const found: string[] = [];
  for (const part of parts) {
    const names = await readdir(join(folder, ...found)).catch((): string[] => []);
    const name = names.includes(part) ? part : names.find((other) => keyOf(other) === keyOf(part));
    if (name === undefined) return path;
    found.push(name);
  }
  return found.join('/');
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function keyOf(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
