"""Who begins a turn: by option, by what the message shows, or by asking the router."""

from zencli.agent.preroute import LastTurn, agent_named, preroute
from zencli.agent.router import ask_router, router_request
from zencli.agent.routing import Routing, Workflow
from zencli.agent.turn import Asked
from zencli.pipeline.run_context import Previewed, RunContext


def first_routing(ctx: RunContext, asked: Asked, last: LastTurn | None, route: str) -> Routing:
    """The routing of a message. ``route`` is ``llm``, ``off`` or the name of an agent.

    Raises ``Previewed`` where a dry run would ask the router.
    """
    named = agent_named(route)
    if named is not None:
        reviews = named == "quality_reviewer"
        workflow: Workflow = "review_only" if reviews else "quick"
        return Routing(named, workflow, "chosen", 1.0, source="agent")
    if route == "off":
        return Routing("writer", "quick", "route_off", 1.0, source="off")
    found = preroute(asked, last)
    if found is not None:
        return found
    temperature = ctx.models.temperature("router")
    if ctx.dry_run:
        request = router_request(ctx.prompts, asked.message, last, temperature)
        raise Previewed(request, (), ctx.profile("router"))
    return ask_router(ctx.recorded("router"), ctx.prompts, asked.message, last, temperature)
