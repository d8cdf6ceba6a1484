/**
 * What a task keeps of its call, sealed: everything that a run needs, what a caller needs to read it, and the result.
 */
import type { Call, CallContext } from "../../core/model/call.ts";
import type { CallResult, TaskSession } from "../../core/model/call-result.ts";
import type { Trace } from "../../core/model/definition.ts";
import type { ClientCapability, ClientInfo } from "../../core/model/elicitation.ts";
import type { Outcome } from "../../core/model/outcome.ts";
import { GRANT, PARTITION, type Principal, partitionOf } from "../../core/model/principal.ts";
import type { LongCall, Prepared } from "../../core/ports/runtime.ts";

/** Members of a call that are kept as they are. */
type Same = "toolkit" | "callId" | "protocol" | "sessionId" | "beginsSession" | "input" | "attachments";

/** Everything that a run needs, in JSON. It is kept until the task ends. */
export interface TaskCall extends Pick<Call, Same> {
  readonly toolId: string;
  /** The version that the task began with. Its runs use no other, even after a deployment. */
  readonly version: string;
  readonly principal: Pick<Principal, "id" | "toolkits" | "scopes" | "reach" | "rate">;
  readonly partition: string;
  readonly grant: string | undefined;
  readonly authorization: readonly (readonly [string, string])[];
  readonly secrets: readonly (readonly [string, string])[];
  readonly userId: string | undefined;
  /** Origin of the pages for its user. */
  readonly origin: string | undefined;
  readonly trace: Trace | undefined;
  readonly capabilities: readonly ClientCapability[];
  readonly client: (Omit<ClientInfo, "capabilities"> & Pick<TaskCall, "capabilities">) | undefined;
  readonly prepared: unknown;
  /** Whether the tool accessed its session in `prepare`. Tasks of earlier versions do not say so. */
  readonly sawSession?: boolean;
  /** The tool gets it as `ctx.idempotencyKey`. */
  readonly idempotencyKey: string;
  /** The seed of the ids of its pages, which only this task has. Tasks of earlier versions use the key instead. */
  readonly seed?: string;
}

/** What is kept as long as the task: what a caller needs to read it. */
export interface TaskHead {
  readonly toolId: string;
  readonly version: string;
  /** The caller's scopes, of those that the deployment uses. */
  readonly scopes: Principal["scopes"];
  readonly session: Omit<TaskSession, "seen"> | undefined;
  /** The caller's sign-in, or null. Tasks of earlier versions do not have it. */
  readonly grant?: string | null;
  /** The task's id: what a result of it has as {@link CallResult.run}. Tasks of earlier versions do not have it. */
  readonly run?: string;
  /** Set if its caller is not identified (core/model/principal.ts), and so has no events. */
  readonly isUnidentified?: boolean;
}

export interface KeptResult {
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** Whether the tool accessed its session, in whichever run. */
  readonly sawSession?: boolean;
}

export function taskCall(
  { caller: call, primitive }: LongCall,
  { value: prepared, sawSession }: Prepared,
  idempotencyKey: string,
  seed: string,
): TaskCall {
  const { id, toolkits, scopes, reach, rate } = call.principal;
  const { capabilities, ...client } = call.clientInfo ?? {};
  const { toolkit, callId, protocol, sessionId, beginsSession, input, attachments } = call;
  return {
    toolId: primitive.id,
    version: primitive.version,
    ...{ toolkit, callId, protocol, sessionId, beginsSession, input, attachments, prepared, sawSession },
    ...{ idempotencyKey, seed },
    principal: { id, toolkits, scopes, reach, rate },
    partition: partitionOf(call.principal),
    grant: call.principal[GRANT],
    authorization: [...call.context.authorization],
    secrets: [...call.context.secrets],
    userId: call.context.userId,
    origin: call.origin?.(),
    trace: call.trace?.(),
    capabilities: [...(call.elicitation?.capabilities ?? [])],
    client: capabilities && ({ ...client, capabilities: [...capabilities] } as TaskCall["client"]),
  };
}

/** Restores the call for a run. Nobody waits for it, so it has no client. */
export function callOf(kept: TaskCall): Call {
  const { toolId, version, authorization, secrets, userId, partition, grant, trace, origin, client, ...same } = kept;
  const { principal, callId, protocol, toolkit, sessionId, beginsSession, input, attachments } = same;
  const context: CallContext = { authorization: new Map(authorization), secrets: new Map(secrets), userId };
  return {
    ...{ callId, protocol, toolkit, sessionId, beginsSession, input, attachments, context },
    tool: { id: toolId, version },
    principal: {
      ...principal,
      ...(partition !== principal.id && { [PARTITION]: () => partition }),
      ...(grant !== undefined && { [GRANT]: grant }),
    },
    ...(origin !== undefined && { origin: () => origin }),
    trace: () => trace,
    ...(client && { clientInfo: { ...client, capabilities: new Set(client.capabilities) } }),
  };
}
