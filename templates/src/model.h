// model.h: what the network computes.
#ifndef <@ upper(identifier) @>_MODEL_H_
#define <@ upper(identifier) @>_MODEL_H_

// scaffold: includes

namespace <@ namespace @> {

<% if with_example %>
/// Computes nothing yet, as an example.
<% endif %>
class Model final {};

}  // namespace <@ namespace @>

#endif  // <@ upper(identifier) @>_MODEL_H_
