import { readFile } from 'node:fs/promises';
import module from 'node:module';
import { normalize, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FaceplateError } from '../../contract/errors.ts';
import { isLoopback } from '../../platform/addresses.ts';
import { hostName, projectIdOf } from './callers.ts';
import { spelledOnDisk } from './caseFallback.ts';
import { ownHeaders, sendOwnPage } from './managePages.ts';

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
  server.get(
    '/*',
    { config: { access: { http: 'open' } }, exposeHeadRoute: true },
    async (request, reply) => {
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
      if (path.endsWith('.ts') && pages.hasTypeScript(id))
        return sendModule(reply, folder, path, request.query as Record<string, string>);
      return reply.sendFile(await spelledOnDisk(folder, path), folder);
    },
  );
}

function projectFolder(request: FastifyRequest, id: string, pages: ProjectPages): string {
  const folder = pages.folderOf(id);
  if (folder === undefined) throw new FaceplateError('NOT_FOUND');
  if (!isLoopback(request.socket.remoteAddress ?? '')) {
    throw new FaceplateError('FORBIDDEN', 'Pages of projects are shown only on the panel itself.');
  }
  return folder;
}

/** It is the next one each time, so nobody keeps it. */
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
