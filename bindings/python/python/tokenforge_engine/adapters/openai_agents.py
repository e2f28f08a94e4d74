"""OpenAI Agents SDK: a filter that makes tool results smaller on their way to the model.

    >>> tokenforge = TokenforgeFilter()
    >>> agent = Agent(name="Coder", tools=[bash, tokenforge.tool])  # doctest: +SKIP
    >>> run_config = RunConfig(call_model_input_filter=tokenforge)  # doctest: +SKIP

The run and its session keep the results as they came. Without `tokenforge.tool` among the agent's tools nothing is left out.
"""

from __future__ import annotations

import json
from typing import Any, Optional

from agents import FunctionTool
from agents.run import CallModelData, ModelInputData
from agents.tool_context import ToolContext

from .. import EXPAND_TOOL, Compressor, OriginalNotFound


class TokenforgeFilter:
    """What `RunConfig.call_model_input_filter` wants. Share one between runs."""

    def __init__(self, compressor: Optional[Compressor] = None) -> None:
        self.compressor = compressor or Compressor()
        self.tool = FunctionTool(
            name=EXPAND_TOOL["name"],
            description=EXPAND_TOOL["description"],
            params_json_schema=dict(EXPAND_TOOL["input_schema"]),
            on_invoke_tool=self._expand,
            strict_json_schema=False,
        )

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        items = data.model_data.input
        if not any(item.get("type") == "function_call_output" for item in items):
            return data.model_data
        made = await self.compressor.acompress(
            items,
            provider="openai_responses",
            model=data.agent.model if isinstance(data.agent.model, str) else "",
            caller_fetches=self.tool in data.agent.tools,
        )
        # An item that stays is the same object: by that the runner knows what it has sent.
        sent = [item if item == new else new for item, new in zip(items, made.request["input"])]
        return ModelInputData(input=sent, instructions=data.model_data.instructions)

    async def _expand(self, context: ToolContext[Any], arguments: str) -> str:
        try:
            asked = json.loads(arguments)
            part = {name: asked[name] for name in ("lines", "grep", "path") if asked.get(name)}
            return await self.compressor.aexpand(str(asked.get("id", "")), **part)
        except OriginalNotFound as missing:
            return str(missing)
        except (AttributeError, ValueError):
            return 'Call again with {"id": "shadow_..."} as the arguments.'
