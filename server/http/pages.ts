import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { normalize, resolve, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FaceplateError } from '../contract/errors.ts';
import { isLoopback } from '../observe/localAddress.ts';
import { hostName, projectIdOf } from './callers.ts';
import { spelledOnDisk } from './caseFallback.ts';
import { leaveSmallFiles } from './compression.ts';

/** The project pages this server shows. */
export interface ProjectPages {
  /** Folder of a project, or undefined where no project has the id. */
  folderOf(id: string): string | undefined;
  /** Whether its TypeScript modules are sent without their types; elsewhere `.ts` is a piece of video. */
  hasTypeScript(id: string): boolean;
  /** Whether the page is Faceplate's own and not a project: nobody may frame it, and it may load nothing from elsewhere. */
  isOwn(id: string): boolean;
}

/** Of the pages of Faceplate's own. */
const OWN_HEADERS = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

/**
 * Serves each project at the root of its own origin `http://<id>.localhost:<port>/`, to this machine only.
 * The demo brings TypeScript modules: their types are stripped on the way (`?source` sends them as they are).
 */
export async function addProjectPages(server: FastifyInstance, pages: ProjectPages): Promise<void> {
  await server.register(fastifyStatic, {
    root: import.meta.dirname,
    serve: false,
    cacheControl: false,
    // Without its last slash a folder's relative links would lead nowhere.
    redirect: true,
  });
  leaveSmallFiles(server);
  server.get('/*', async (request, reply) => {
    const { id, folder } = projectFor(request, pages);
    const path = filePath(request);
    reply.headers({
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      // Of a file that is compressed for some, also where it is not sent at all (304): RFC 9110 section 15.4.5.
      vary: [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', '),
    });
    // No other origin may read it either, the active project's included.
    if (pages.isOwn(id)) reply.removeHeader('access-control-allow-origin').headers(OWN_HEADERS);
    if (path.endsWith('.ts') && pages.hasTypeScript(id))
      return sendModule(reply, folder, path, request.query as Record<string, string>);
    return reply.sendFile(await spelledOnDisk(folder, path), folder);
  });
}

function projectFor(request: FastifyRequest, pages: ProjectPages): { id: string; folder: string } {
  const id = projectIdOf(hostName(request.headers.host ?? ''));
  const folder = id === undefined ? undefined : pages.folderOf(id);
  if (id === undefined || folder === undefined) throw new FaceplateError('NOT_FOUND');
  if (!isLoopback(request.socket.remoteAddress ?? '')) {
    throw new FaceplateError('FORBIDDEN', 'Pages of projects are shown on the panel itself only.');
  }
  return { id, folder };
}

function filePath(request: FastifyRequest): string {
  const path = (request.params as { '*': string })['*'];
  return path === '' || path.endsWith('/') ? `${path}index.html` : path;
}

async function sendModule(
  reply: FastifyReply,
  folder: string,
  path: string,
  query: Record<string, string>,
): Promise<FastifyReply> {
  const file = resolve(folder, normalize(path));
  if (!file.startsWith(folder + sep)) throw new FaceplateError('NOT_FOUND');
  const source = await readFile(file, 'utf8').catch(() => {
    throw new FaceplateError('NOT_FOUND');
  });
  if ('source' in query) return reply.type('text/plain; charset=utf-8').send(source);
  return reply.type('text/javascript; charset=utf-8').send(stripTypeScriptTypes(source));
}
